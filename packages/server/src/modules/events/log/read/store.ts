import type { EventFilter } from '@kontor/contract'
import { param, statement } from '../../../../db/statement.ts'
import type { Sql } from '../../../../db/sql.ts'
import type { ReadTx } from '../../../../db/tx.ts'
import { isId } from '../../../../kernel/ids.ts'
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
  return tx.query(
    ({ knex, dialect }) => {
      const query = knex('event')
        .select(...loggedColumns)
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
}

/** Lists the events with some numbers, as far as they are still stored. */
export const listEventsAt = (tx: ReadTx, workspaceId: string, sequences: readonly number[]): Promise<LoggedEvent[]> =>
  sequences.length === 0
    ? Promise.resolve([])
    : tx.query(
        ({ knex }) =>
          knex('event')
            .select(...loggedColumns)
            .where('workspace_id', workspaceId)
            .whereIn('sequence', [...sequences]),
        { heavy: sequences.length > lightMax },
      )

/** Events that change fields of the record that they are about. */
const changing = ['record.updated', 'record.merged']

/** Changes of one record by one event: its number, or undefined where it is committed and has none yet. */
export type RecordChanges = Pick<LoggedEvent, 'payload'> & {
  readonly record_id: string
  readonly sequence: number | undefined
}

/** Events that are read to find out what records were. */
const changesMax = 2000

/** Lists the changes of some records after an event, the oldest first, those that have no number yet last. */
export async function listChanges(
  tx: ReadTx,
  workspaceId: string,
  recordIds: readonly string[],
  after: number,
): Promise<RecordChanges[]> {
  const of = ({ knex, dialect }: Sql, table: 'event' | 'outbox') =>
    knex(table)
      .where('workspace_id', workspaceId)
      .where(dialect.oneOf('record_id', recordIds))
      .whereIn('type', changing)
      .limit(changesMax)
  // Before the log: an event that moves into it meanwhile is read twice, and never not at all.
  const waiting = sequencesLater(tx.dialect)
    ? await tx.query<RecordChanges>((sql) =>
        of(sql, 'outbox').select('record_id', 'payload').orderBy(['written_us', 'id']),
      )
    : []
  const logged = await tx.query<RecordChanges>((sql) =>
    of(sql, 'event').select('record_id', 'payload', 'sequence').where('sequence', '>', after).orderBy('sequence'),
  )
  return [...logged, ...waiting]
}

/** The numbers of the newest events of some workspaces. */
export const listHeads = (
  tx: ReadTx,
  workspaceIds: readonly string[],
): Promise<{ readonly workspace_id: string; readonly last_sequence: number }[]> =>
  tx.query(({ knex, dialect }) =>
    knex('event_head').select('workspace_id', 'last_sequence').where(dialect.oneOf('workspace_id', workspaceIds)),
  )
