import { tupleAfter } from '../../../db/expressions.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import { listUnfinished } from '../../../engine/verification/store.ts'
import type { Discrepancy, Verification } from '../../../kernel/verification.ts'
import { counterDiscrepancies, listTotalsOf } from '../../counters/index.ts'
import { cleanList } from '../clean.ts'
import { entryCounter } from '../entries/store.ts'

const portionEntries = 500

type StoredEntry = {
  readonly list_id: string
  readonly record_id: string
  readonly hidden: boolean | number
  readonly list: string | null
  readonly record: string | null
  readonly deleted_at: number | null
}

const listEntriesFrom = (
  tx: ReadTx,
  workspaceId: string,
  after: readonly string[] | undefined,
): Promise<StoredEntry[]> =>
  tx.query<StoredEntry>((sql) => {
    const entries = sql
      .knex('list_entry as e')
      .leftJoin('list as l', (on) => on.on('l.workspace_id', 'e.workspace_id').on('l.id', 'e.list_id'))
      .leftJoin('record as r', (on) => on.on('r.workspace_id', 'e.workspace_id').on('r.id', 'e.record_id'))
      .select('e.list_id', 'e.record_id', 'e.hidden', 'l.id as list', 'r.id as record', 'r.deleted_at')
      .where('e.workspace_id', workspaceId)
    if (after !== undefined) entries.where(tupleAfter(sql, ['e.list_id', 'e.record_id'], after, 'after'))
    return entries.orderBy(['e.list_id', 'e.record_id']).limit(portionEntries)
  })

type EntryKey = { readonly workspace_id: string; readonly list_id: string; readonly record_id: string }

/** Shows an entry whose record is not deleted, and hides one whose record is; it stays so until the commit. */
async function matchEntry(tx: Tx, key: EntryKey): Promise<void> {
  const { workspace_id, record_id: id } = key
  const [record] = await tx.query<{ deleted_at: number | null }>(({ knex, dialect }) =>
    dialect.locked(knex('record').select('deleted_at').where({ workspace_id, id }), 'delete'),
  )
  if (record === undefined) return
  const hidden = record.deleted_at !== null
  await tx.updateByKey('list_entry', ['workspace_id', 'list_id', 'record_id'], [{ ...key, hidden }])
}

function discrepanciesOf(workspaceId: string, entry: StoredEntry, isCleaning: boolean): Discrepancy[] {
  const { list_id, record_id } = entry
  const key = { workspace_id: workspaceId, list_id, record_id }
  const detail = `entry ${record_id} of list ${list_id}`
  if (entry.record === null || (entry.list === null && !isCleaning)) {
    const lost = entry.record === null ? 'record' : 'list'
    return [{ detail: `${detail}: the ${lost} does not exist`, repair: (tx) => tx.deleteByKey('list_entry', [key]) }]
  }
  const hidden = entry.deleted_at !== null
  if (Boolean(entry.hidden) === hidden) return []
  return [
    {
      detail: `${detail} is ${hidden ? 'shown, but its record is deleted' : 'hidden, but its record is not deleted'}`,
      repair: (tx) => matchEntry(tx, key),
    },
  ]
}

/** Verifies that the entries of lists have their list and their record. */
export const entryVerification: Verification = {
  name: 'List entries',
  async verify(tx, { workspaceId, after }) {
    const entries = await listEntriesFrom(tx, workspaceId, after?.split('\n'))
    const isCleaning = (await listUnfinished(tx, workspaceId, [cleanList.name])).length > 0
    const last = entries.at(-1)
    return {
      checked: entries.length,
      discrepancies: entries.flatMap((entry) => discrepanciesOf(workspaceId, entry, isCleaning)),
      next:
        last === undefined || entries.length < portionEntries ? undefined : [last.list_id, last.record_id].join('\n'),
    }
  },
}

const portionLists = 20

/** Verifies the counters of the entries of lists. */
export const entryCountVerification: Verification = {
  name: 'List counts',
  isOfCounters: true,
  async verify(tx, { workspaceId, after, now }) {
    const lists = await tx.query<{ id: string }>(({ knex }) => {
      const some = knex('list').select('id').where('workspace_id', workspaceId)
      if (after !== undefined) some.where('id', '>', after)
      return some.orderBy('id').limit(portionLists)
    })
    const counted = await tx.query<{ list_id: string; entries: number }>(
      ({ knex, dialect }) =>
        knex('list_entry')
          .select('list_id')
          .count('* as entries')
          .where({ workspace_id: workspaceId, hidden: false })
          .where(
            dialect.oneOf(
              'list_id',
              lists.map(({ id }) => id),
            ),
          )
          .groupBy('list_id'),
      { heavy: 'scan' },
    )
    const actual = new Map(lists.map(({ id }) => [entryCounter(id), 0]))
    for (const { list_id, entries } of counted) actual.set(entryCounter(list_id), entries)
    const stored = await listTotalsOf(tx, workspaceId, [...actual.keys()])
    return {
      checked: lists.length,
      discrepancies: counterDiscrepancies(workspaceId, actual, stored, now),
      next: lists.length < portionLists ? undefined : lists.at(-1)?.id,
    }
  },
}
