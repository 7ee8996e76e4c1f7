import type { Change } from '@kontor/contract'
import { addToCounts, forgetCounts, totalRecords } from '../../counters/index.ts'
import { deleteSome } from '../../../db/delete-some.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import { seesAll, whereVisible, type Principal } from '../../access/index.ts'
import type { Dependent } from '../../records/index.ts'
import type { IdSet } from '../../query/index.ts'
import { listsPath } from './events.ts'
import { redactLists } from './redact.ts'
import { readTotal } from '../../../db/rows.ts'

/** The counter of the entries of a list that are not hidden. */
export const entryCounter = (listId: string): string => `list/${listId}`

/** The id set of the entries of a list that the caller may see. */
export const entriesOf = (workspaceId: string, listId: string, principal: Principal<'read'>): IdSet => ({
  workspaceId,
  rows(sql) {
    const entries = sql
      .knex('list_entry as e')
      .where({ 'e.workspace_id': workspaceId, 'e.list_id': listId, 'e.hidden': false })
    if (seesAll(principal)) return { query: entries, id: 'e.record_id' }
    const joined = entries.join('record as er', (on) =>
      on.on('er.workspace_id', 'e.workspace_id').on('er.id', 'e.record_id'),
    )
    return { query: whereVisible(sql, joined, 'er', principal), id: 'e.record_id' }
  },
  contains: ({ knex }, id) =>
    knex('list_entry as en')
      .select('en.record_id')
      .where({
        'en.workspace_id': workspaceId,
        'en.list_id': listId,
        'en.hidden': false,
        'en.record_id': knex.ref(id),
      }),
  counter: seesAll(principal) ? entryCounter(listId) : undefined,
  label: 'the entries of the list',
  cursorScope: [listId],
})

/** A transaction that changes entries, and its source of ids. */
export type EntryWriter = { readonly tx: Tx; readonly workspaceId: string; readonly newId: () => string }

const count = ({ tx, workspaceId, newId }: EntryWriter, lists: readonly string[], by: 1 | -1): Promise<void> => {
  const changes = new Map<string, number>()
  for (const id of lists) changes.set(entryCounter(id), (changes.get(entryCounter(id)) ?? 0) + by)
  return addToCounts(tx, workspaceId, changes, newId)
}

const entryRows = ({ workspaceId }: EntryWriter, listId: string, recordIds: readonly string[]) =>
  recordIds.map((id) => ({ workspace_id: workspaceId, list_id: listId, record_id: id }))

const ids = (rows: readonly { readonly record_id: string }[]): string[] => rows.map(({ record_id }) => record_id)

/** Adds live records to a list; returns those that were not in it. */
export async function insertEntries(
  writer: EntryWriter,
  listId: string,
  recordIds: readonly string[],
): Promise<string[]> {
  if (recordIds.length === 0) return []
  const rows = entryRows(writer, listId, recordIds).map((row) => ({ ...row, hidden: false }))
  const added = ids(await writer.tx.insertNew('list_entry', rows, ['record_id']))
  await count(
    writer,
    added.map(() => listId),
    1,
  )
  return added
}

/** Removes live records from a list; returns those that were in it. */
export async function deleteEntries(
  writer: EntryWriter,
  listId: string,
  recordIds: readonly string[],
): Promise<string[]> {
  if (recordIds.length === 0) return []
  const gone = ids(await writer.tx.deleteReturning('list_entry', entryRows(writer, listId, recordIds), ['record_id']))
  await count(
    writer,
    gone.map(() => listId),
    -1,
  )
  return gone
}

type Entry = { readonly list_id: string; readonly record_id: string }

const setHidden = (tx: Tx, workspaceId: string, recordIds: readonly string[], hidden: boolean): Promise<Entry[]> =>
  tx.query<Entry>(({ knex, dialect }) =>
    knex('list_entry')
      .update({ hidden })
      .where({ workspace_id: workspaceId, hidden: !hidden })
      .where(dialect.oneOf('record_id', recordIds))
      .returning(['list_id', 'record_id']),
  )

/**
 * The list entries of records as dependents: a deleted record leaves its lists, and a restored one returns to them; in
 * static lists, the target of a merge takes the places of the merged records.
 */
export const entriesOfRecords: Dependent = {
  async hide(tx, workspaceId, recordIds, newId) {
    const hidden = await setHidden(tx, workspaceId, recordIds, true)
    await count(
      { tx, workspaceId, newId },
      hidden.map(({ list_id }) => list_id),
      -1,
    )
  },

  async show(tx, workspaceId, recordIds, newId) {
    const shown = await setHidden(tx, workspaceId, recordIds, false)
    await count(
      { tx, workspaceId, newId },
      shown.map(({ list_id }) => list_id),
      1,
    )
  },

  async move(ctx, fromIds, toId) {
    const {
      tx,
      workspace: { workspaceId },
      newId,
    } = ctx
    const writer = { tx, workspaceId, newId }
    const left = await tx.query<Entry & { type: string }>(({ knex, dialect }) =>
      knex('list_entry as e')
        .join('list as l', (on) => on.on('l.workspace_id', 'e.workspace_id').on('l.id', 'e.list_id'))
        .select('e.list_id', 'e.record_id', 'l.type')
        .where('e.workspace_id', workspaceId)
        .where(dialect.oneOf('e.record_id', fromIds)),
    )
    // For a dynamic list, its query decides whether the target belongs to it.
    const joined: Change[] = []
    for (const [listId, entries] of Map.groupBy(left, ({ list_id }) => list_id)) {
      await deleteEntries(writer, listId, ids(entries))
      const added = entries[0]?.type === 'static' ? await insertEntries(writer, listId, [toId]) : []
      if (added.length > 0) joined.push({ op: 'add', path: [listsPath], val: listId, oldVal: null })
    }
    return (await redactLists(ctx, [joined])).flat()
  },

  purge: (tx, workspaceId, recordIds, rowsMax) =>
    deleteSome(tx, workspaceId, {
      table: 'list_entry',
      key: ['list_id', 'record_id'],
      column: 'record_id',
      values: recordIds,
      rowsMax,
    }),
}

/** Removes entries of a deleted list, at most so many; returns their number. */
export const deleteSomeEntries = (tx: Tx, workspaceId: string, listId: string, rowsMax: number): Promise<number> =>
  deleteSome(tx, workspaceId, {
    table: 'list_entry',
    key: ['list_id', 'record_id'],
    column: 'list_id',
    values: [listId],
    rowsMax,
  })

/** Deletes the entry counter of a list. */
export const deleteEntryCounter = (tx: Tx, workspaceId: string, listId: string): Promise<void> =>
  forgetCounts(tx, workspaceId, [entryCounter(listId)])

/** The ids of live records of a list behind one, in the order of their ids. */
export async function listEntriesAfter(
  tx: ReadTx,
  workspaceId: string,
  listId: string,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const rows = await tx.query<{ record_id: string }>(({ knex }) => {
    const entries = knex('list_entry')
      .select('record_id')
      .where({ workspace_id: workspaceId, list_id: listId, hidden: false })
    if (after !== null) entries.where('record_id', '>', after)
    return entries.orderBy('record_id').limit(limit)
  })
  return ids(rows)
}

/** The number of live records of a list that the caller may see. */
export const countEntries = (
  tx: ReadTx,
  workspaceId: string,
  listId: string,
  principal: Principal<'read'>,
): Promise<number> => {
  const { rows, counter } = entriesOf(workspaceId, listId, principal)
  if (counter !== undefined) return totalRecords(tx, workspaceId, counter)
  return readTotal(tx, (sql) => rows(sql).query.count('* as total'), false)
}
