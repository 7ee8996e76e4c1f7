import type { DomainEvent } from '../../../kernel/events.ts'

/** First member of the path of list changes in feeds. */
export const listsPath = 'lists'

/**
 * The events of list entries in the feeds of records. Titles are for those who may see the list, so the events name it
 * by its id.
 */
export const entryEvents = (
  kind: 'added' | 'removed',
  object: string,
  listId: string,
  recordIds: readonly string[],
): DomainEvent<'list.entry_added' | 'list.entry_removed'>[] => {
  const [val, oldVal] = kind === 'added' ? [listId, null] : [null, listId]
  return recordIds.map((recordId) => ({
    type: `list.entry_${kind}`,
    object,
    recordId,
    payload: { list_id: listId, diff: [{ op: kind === 'added' ? 'add' : 'delete', path: [listsPath], val, oldVal }] },
  }))
}
