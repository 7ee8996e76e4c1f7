import type { Knex } from 'knex'
import type { Change } from '@kontor/contract'
import { param, statement } from '../../db/statement.ts'
import type { QueryOptions, ReadTx, Sql, Tx } from '../../db/tx.ts'

/** An event; those with one position are one activity. */
export type EventRow = {
  readonly position: number
  readonly id: string
  readonly type: string
  readonly object: string
  readonly actor_id: string
  readonly actor_entity: string
  readonly source_id: string | null
  readonly diff: Change[]
  readonly began_at: number
  readonly created_at: number
}

const eventColumns = ['position', 'id', 'type', 'object', 'actor_id', 'actor_entity', 'source_id', 'diff', 'began_at', 'created_at'] as const

export type Feed = { readonly workspaceId: string; readonly recordId: string }

export type Narrowing = { readonly type: string | undefined; readonly actorId: string | undefined; readonly sinceMs: number | undefined }

const highest = statement<{ workspace_id: string; record_id: string }, { top: number | null }>(({ knex }) =>
  knex('activity').max('position as top').where({ workspace_id: param('workspace_id'), record_id: param('record_id') }),
)

/** The number of activities of a record: positions have no gaps, so it is the highest. */
export const countActivities = async (tx: ReadTx, { workspaceId, recordId }: Feed): Promise<number> =>
  (await tx.first(highest, { workspace_id: workspaceId, record_id: recordId }))?.top ?? 0

const between = statement<{ workspace_id: string; record_id: string; from: number; to: number }, EventRow>(({ knex }) =>
  knex('activity')
    .select(...eventColumns)
    .where({ workspace_id: param('workspace_id'), record_id: param('record_id') })
    .where('position', '>=', param('from'))
    .where('position', '<=', param('to'))
    .orderBy([{ column: 'position' }, { column: 'place' }]),
)

/** Larger reads leave the main thread on SQLite. */
const lightMax = 51

const heavyAbove = (activities: number): QueryOptions => ({ heavy: activities > lightMax })

/** The events of a range of activities, oldest first. */
export const listEventsBetween = (tx: ReadTx, { workspaceId, recordId }: Feed, from: number, to: number): Promise<EventRow[]> =>
  tx.all(between, { workspace_id: workspaceId, record_id: recordId, from, to }, heavyAbove(to - from))

const matching = ({ knex }: Sql, { workspaceId, recordId }: Feed, { type, actorId, sinceMs }: Narrowing): Knex.QueryBuilder => {
  const query = knex('activity').where({ workspace_id: workspaceId, record_id: recordId })
  if (type !== undefined) query.where('type', type)
  if (actorId !== undefined) query.where('actor_id', actorId)
  return sinceMs === undefined ? query : query.where('created_at', '>=', sinceMs)
}

export async function countMatchingActivities(tx: ReadTx, feed: Feed, narrowing: Narrowing): Promise<number> {
  const rows = await tx.query<{ total: number }>((sql) => matching(sql, feed, narrowing).countDistinct('position as total'), { heavy: true })
  return rows[0]?.total ?? 0
}

/** Which activities are wanted: those beyond a position, in an order, some skipped. */
export type Slice = { readonly descending: boolean; readonly beyond: number | undefined; readonly offset: number; readonly rows: number }

/** The events of the activities that match, oldest first. */
export const listMatchingEvents = (tx: ReadTx, feed: Feed, narrowing: Narrowing, { descending, beyond, offset, rows }: Slice): Promise<EventRow[]> =>
  tx.query(
    (sql) => {
      const positions = matching(sql, feed, narrowing)
        .select('position')
        .groupBy('position')
        .orderBy('position', descending ? 'desc' : 'asc')
        .limit(rows)
      if (beyond !== undefined) positions.where('position', descending ? '<' : '>', beyond)
      else if (offset > 0) positions.offset(offset)
      return sql
        .knex('activity')
        .select(...eventColumns)
        .where({ workspace_id: feed.workspaceId, record_id: feed.recordId })
        .whereIn('position', positions)
        .orderBy([{ column: 'position' }, { column: 'place' }])
    },
    { heavy: true },
  )

/** Removes the activities of records for good, at most so many events; the number removed. */
export const deleteActivities = (tx: Tx, workspaceId: string, recordIds: readonly string[], rowsMax: number): Promise<number> =>
  tx.change(({ knex, dialect }) => {
    const key = ['record_id', 'position', 'place'] as const
    const some = knex('activity').select(...key).where('workspace_id', workspaceId).where(dialect.oneOf(knex, 'record_id', recordIds)).limit(rowsMax)
    return knex('activity').where('workspace_id', workspaceId).whereIn(key, some).delete()
  })
