import type { DomainEvent } from '../../../kernel/events.ts'

/** Member of the path of what feeds tell of lists. */
export const listsPath = 'lists'

/** What the feeds of records tell of their lists. Titles are for those who may see the list, so it is named by its id. */
export const entryEvents = (
  kind: 'added' | 'removed',
  object: string,
  listId: string,
  recordIds: readonly string[],
): DomainEvent[] => {
  const [val, oldVal] = kind === 'added' ? [listId, null] : [null, listId]
  return recordIds.map((recordId) => ({
    type: `list.entry_${kind}`,
    object,
    recordId,
    payload: { list_id: listId, diff: [{ op: kind === 'added' ? 'add' : 'delete', path: [listsPath], val, oldVal }] },
  }))
}
