import { columnsOf, readTotal, readColumn } from '../../db/rows.ts'
import { deleteSome } from '../../db/delete-some.ts'
import { tupleAfter } from '../../db/expressions.ts'
import type { Knex } from 'knex'
import type { Change } from '@kontor/contract'
import type { NamedDoer } from '../../kernel/actor.ts'
import type { RowOf } from '../../db/columns.ts'
import { param, statement } from '../../db/statement.ts'
import type { Sql } from '../../db/sql.ts'
import type { QueryOptions, ReadTx, Tx } from '../../db/tx.ts'
import type { FeedPosition } from './cursor.ts'

/** An event; events with the same position form one activity. */
export type EventRow = Pick<RowOf<'activity'>, (typeof eventColumns)[number]> & {
  readonly diff: Change[]
  readonly on_behalf_of: NamedDoer['on_behalf_of'] | null
}

const eventColumns = columnsOf('activity', 'workspace_id', 'place', 'list_id')

/** The feed of a record or of a schema. */
type OwnFeed = { readonly workspaceId: string; readonly recordId: string }

/** Without a record, the merged feed of all schemas. */
export type Feed = OwnFeed | { readonly workspaceId: string; readonly recordId: undefined }

export const isOwn = (feed: Feed): feed is OwnFeed => feed.recordId !== undefined

/** Positions count within one feed; several feeds are merged in chronological order. */
const orderOf = (feed: Feed): ('position' | 'began_at' | 'record_id')[] =>
  isOwn(feed) ? ['position'] : ['began_at', 'record_id', 'position']

export const positionOf = (feed: Feed, event: EventRow): FeedPosition => orderOf(feed).map((column) => event[column])

export const positionLength = (feed: Feed): number => orderOf(feed).length

export type Narrowing = {
  readonly type: string | undefined
  readonly actorId: string | undefined
  readonly sinceMs: number | undefined
  /** Lists whose events are left out. */
  readonly hiddenLists: readonly string[]
}

const highest = statement<{ workspace_id: string; record_id: string }, { top: number | null }>(({ knex }) =>
  knex('activity')
    .max('position as top')
    .where({ workspace_id: param('workspace_id'), record_id: param('record_id') }),
)

/** The number of activities of a record, which is its highest position, since positions have no gaps. */
export const countActivities = async (tx: ReadTx, { workspaceId, recordId }: OwnFeed): Promise<number> =>
  (await tx.first(highest, { workspace_id: workspaceId, record_id: recordId }))?.top ?? 0

const between = statement<{ workspace_id: string; record_id: string; from: number; to: number }, EventRow>(({ knex }) =>
  knex('activity')
    .select(...eventColumns)
    .where({ workspace_id: param('workspace_id'), record_id: param('record_id') })
    .where('position', '>=', param('from'))
    .where('position', '<=', param('to'))
    .orderBy([{ column: 'position' }, { column: 'place' }]),
)

/** The lists that a feed has events of. */
export const listListsOf = (tx: ReadTx, { workspaceId, recordId }: OwnFeed): Promise<string[]> =>
  readColumn(tx, ({ knex }) =>
    knex('activity')
      .distinct('list_id')
      .where({ workspace_id: workspaceId, record_id: recordId })
      .whereNotNull('list_id'),
  )

/** The position of an event in a feed. */
export const findPosition = async (
  tx: ReadTx,
  { workspaceId, recordId }: OwnFeed,
  id: string,
): Promise<number | undefined> => {
  const [row] = await tx.query<{ position: number }>(({ knex }) =>
    knex('activity').select('position').where({ workspace_id: workspaceId, record_id: recordId, id }),
  )
  return row?.position
}

/** Larger reads are offloaded on SQLite. */
const lightMax = 51

const heavyAbove = (activities: number): QueryOptions => ({ heavy: activities > lightMax })

/** The events of a range of activities, oldest first. */
export const listEventsBetween = (
  tx: ReadTx,
  { workspaceId, recordId }: OwnFeed,
  from: number,
  to: number,
): Promise<EventRow[]> =>
  tx.all(between, { workspace_id: workspaceId, record_id: recordId, from, to }, heavyAbove(to - from))

const eventsOf = (sql: Sql, feed: Feed, { hiddenLists }: Narrowing): Knex.QueryBuilder => {
  const query = sql.knex('activity').where('workspace_id', feed.workspaceId)
  if (hiddenLists.length > 0) query.where(sql`(list_id is null or not ${sql.dialect.oneOf('list_id', hiddenLists)})`)
  // Worded as in the partial index of the events of schemas.
  return isOwn(feed) ? query.where('record_id', feed.recordId) : query.where(sql`object = 'schema'`)
}

/** The positions of the activities with a matching event, each once. */
const matching = (sql: Sql, feed: Feed, narrowing: Narrowing): Knex.QueryBuilder => {
  const { type, actorId, sinceMs } = narrowing
  const query = eventsOf(sql, feed, narrowing)
    .select([...orderOf(feed)])
    .groupBy([...orderOf(feed)])
  if (type !== undefined) query.where('type', type)
  if (actorId !== undefined) query.where('actor_id', actorId)
  return sinceMs === undefined ? query : query.where('created_at', '>=', sinceMs)
}

export const countMatchingActivities = (tx: ReadTx, feed: Feed, narrowing: Narrowing): Promise<number> =>
  readTotal(tx, (sql) => sql.knex(matching(sql, feed, narrowing).as('found')).count('* as total'))

/** The requested activities: those beyond a position, in an order, after an offset. */
export type ActivitySlice = {
  readonly descending: boolean
  readonly beyond: FeedPosition | undefined
  readonly offset: number
  readonly rows: number
}

/** The events of the matching activities, oldest first. */
export const listMatchingEvents = (
  tx: ReadTx,
  feed: Feed,
  narrowing: Narrowing,
  { descending, beyond, offset, rows }: ActivitySlice,
): Promise<EventRow[]> =>
  tx.query(
    (sql) => {
      const order = orderOf(feed)
      const positions = matching(sql, feed, narrowing)
        .orderBy(order.map((column) => ({ column, order: descending ? 'desc' : 'asc' })))
        .limit(rows)
      if (beyond !== undefined) positions.where(tupleAfter(sql, order, beyond, descending ? 'before' : 'after'))
      else if (offset > 0) positions.offset(offset)
      return eventsOf(sql, feed, narrowing)
        .select(...eventColumns)
        .whereIn(order, positions)
        .orderBy([...order, 'place'].map((column) => ({ column })))
    },
    { heavy: true },
  )

/** Permanently deletes activities of records, at most the given number of events; returns the number deleted. */
export const deleteActivities = (
  tx: Tx,
  workspaceId: string,
  recordIds: readonly string[],
  rowsMax: number,
): Promise<number> =>
  deleteSome(tx, workspaceId, {
    table: 'activity',
    key: ['record_id', 'position', 'place'],
    column: 'record_id',
    values: recordIds,
    rowsMax,
  })
