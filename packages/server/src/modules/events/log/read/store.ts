import type { EventFilter } from '@kontor/contract'
import { param, statement } from '../../../../db/statement.ts'
import { tupleAfter } from '../../../../db/expressions.ts'
import type { Sql } from '../../../../db/sql.ts'
import type { ReadTx } from '../../../../db/tx.ts'
import { rowsOfNodes } from '../../../../db/workspaces.ts'
import { isId } from '../../../../kernel/ids.ts'
import { changesIn, withChanges, type Stored } from '../../changes/store.ts'
import { sequencesLater } from '../../outbox/store.ts'
import { loggedColumns, type LoggedEvent } from '../../logged-event.ts'

/** The numbers of the oldest event that is kept, or else of the next one to come, and of the newest. */
export type LogBounds = { readonly first: number; readonly last: number }

const bounds = statement<{ workspace_id: string }, { first: number | null; last: number | null }>(
  (sql) =>
    sql`select
      (select sequence from event where workspace_id = ${param('workspace_id')} order by sequence limit 1) as first,
      (select last_sequence from event_head where workspace_id = ${param('workspace_id')}) as last`,
)

export async function findLogBounds(tx: ReadTx, workspaceId: string): Promise<LogBounds> {
  const found = await tx.first(bounds, { workspace_id: workspaceId })
  const last = found?.last ?? 0
  return { first: found?.first ?? last + 1, last }
}

/** Events after one number, up to another. */
type Range = { readonly after: number; readonly until: number; readonly rowsMax: number }

/** Larger reads are offloaded on SQLite. */
const lightMax = 100

/** Lists the matching events of a range, oldest first, at most so many. */
export async function listEvents(
  tx: ReadTx,
  workspaceId: string,
  { after, until, rowsMax }: Range,
  { type, object, record }: EventFilter = {},
): Promise<LoggedEvent[]> {
  if (record !== undefined && !isId(record)) return []
  const found = await tx.query<Stored<LoggedEvent>>(
    (sql) => {
      const { knex, dialect } = sql
      const query = knex('event')
        .select(...loggedColumns, changesIn(sql, workspaceId, 'event'))
        .where('workspace_id', workspaceId)
        .where('sequence', '>', after)
        .where('sequence', '<=', until)
        .orderBy('sequence')
        .limit(rowsMax)
      if (type !== undefined) query.where(dialect.oneOf('type', type, 'text'))
      if (object !== undefined) query.where('object', object)
      if (record !== undefined) query.where('record_id', record)
      return query
    },
    { heavy: rowsMax > lightMax },
  )
  return found.map(withChanges)
}

/** Lists the events with some numbers, as far as they are still stored. */
export async function listEventsAt(
  tx: ReadTx,
  workspaceId: string,
  sequences: readonly number[],
): Promise<LoggedEvent[]> {
  if (sequences.length === 0) return []
  const found = await tx.query<Stored<LoggedEvent>>(
    (sql) =>
      sql
        .knex('event')
        .select(...loggedColumns, changesIn(sql, workspaceId, 'event'))
        .where('workspace_id', workspaceId)
        .whereIn('sequence', [...sequences]),
    { heavy: sequences.length > lightMax },
  )
  return found.map(withChanges)
}

/** Events that change fields of the record that they are about. */
const changing = ['record.updated', 'record.merged']

/** Changes of one record by one event: its number, or undefined where it is committed and has none yet. */
export type RecordChanges = Pick<LoggedEvent, 'type' | 'payload'> & {
  readonly record_id: string
  readonly sequence: number | undefined
}

/** Events that are read at once to find out what records were. */
const changesAtOnce = 500

type OfRecords = { readonly workspaceId: string; readonly recordIds: readonly string[] }

const changesOf = (sql: Sql, table: 'event' | 'outbox', { workspaceId, recordIds }: OfRecords) =>
  sql
    .knex(table)
    .select('type', 'record_id', 'payload', changesIn(sql, workspaceId, table))
    .where('workspace_id', workspaceId)
    .where(sql.dialect.oneOf('record_id', recordIds))
    .whereIn('type', changing)
    .limit(changesAtOnce)

/** Reads the changes of some records after an event, the oldest first, those that have no number yet last. */
export async function* readChanges(
  tx: ReadTx,
  of: OfRecords,
  after: number,
): AsyncGenerator<readonly RecordChanges[], void, undefined> {
  // Before the log: an event that moves into it meanwhile is read twice, and never not at all.
  const waiting = sequencesLater(tx.dialect) ? await listWaiting(tx, of) : []
  for (let last = after; ;) {
    const since = last
    const page = await tx.query<Stored<RecordChanges & { readonly sequence: number }>>((sql) =>
      changesOf(sql, 'event', of).select('sequence').where('sequence', '>', since).orderBy('sequence'),
    )
    yield page.map(withChanges)
    if (page.length < changesAtOnce) break
    last = page.at(-1)?.sequence ?? last
  }
  yield waiting
}

/** Lists the changes that are committed and have no number yet: those of the last moment, few unless it was a bulk. */
async function listWaiting(tx: ReadTx, of: OfRecords): Promise<RecordChanges[]> {
  const waiting: RecordChanges[] = []
  for (let last: readonly [number, string] | undefined; ;) {
    const beyond = last
    const page = await tx.query<Stored<RecordChanges & { readonly written_us: number; readonly id: string }>>((sql) => {
      const query = changesOf(sql, 'outbox', of).select('written_us', 'id').orderBy(['written_us', 'id'])
      return beyond === undefined ? query : query.where(tupleAfter(sql, ['written_us', 'id'], [...beyond], 'after'))
    })
    waiting.push(...page.map(withChanges))
    const end = page.at(-1)
    if (end === undefined || page.length < changesAtOnce) return waiting
    last = [end.written_us, end.id]
  }
}

/**
 * The numbers of the newest events of some workspaces; those on a node of a distributed database that does not answer
 * are left out.
 */
export const listHeads = (
  tx: ReadTx,
  workspaceIds: readonly string[],
): Promise<{ readonly workspace_id: string; readonly last_sequence: number }[]> =>
  rowsOfNodes(
    tx,
    ({ knex, dialect }, only = workspaceIds) =>
      knex('event_head').select('workspace_id', 'last_sequence').where(dialect.oneOf('workspace_id', only)),
    workspaceIds,
  )
