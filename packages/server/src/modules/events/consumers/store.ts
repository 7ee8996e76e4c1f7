import type { Knex } from 'knex'
import { limited } from '../../../db/expressions.ts'
import type { Sql } from '../../../db/sql.ts'
import { param, statement } from '../../../db/statement.ts'
import type { ReadTx, Tx, Database } from '../../../db/tx.ts'
import { rowsOfNodes, workspacesOf } from '../../../db/workspaces.ts'
import { changesIn, withChanges, type Stored } from '../changes/store.ts'
import { loggedColumns, type LoggedEvent } from '../logged-event.ts'
import { lockEnd } from '../outbox/store.ts'

type Cursor = { readonly workspace_id: string; readonly consumer: string }

/** Returns the workspaces with events that a consumer has not read yet. */
export const listBehind = (tx: ReadTx, consumer: string): Promise<string[]> =>
  workspacesOf(
    tx,
    ({ knex }) =>
      knex('event_cursor as c')
        .join('event_head as h', 'h.workspace_id', 'c.workspace_id')
        .where('c.consumer', consumer)
        .where('h.last_sequence', '>', knex.ref('c.sequence')),
    'c.workspace_id',
  )

const positionOf = ({ knex }: Sql): Knex.QueryBuilder =>
  knex('event_cursor')
    .select('sequence')
    .where({ workspace_id: param('workspace_id'), consumer: param('consumer') })

/** The position is a value of its own: joined with it, Postgres reads the log from its beginning to find it. */
const unreadOf = (sql: Sql, columns: readonly string[]): Knex.QueryBuilder =>
  sql
    .knex('event as e')
    .select(positionOf(sql).as('reached'), ...columns.map((column) => `e.${column}`))
    .where('e.workspace_id', param('workspace_id'))
    .where('e.sequence', '>', positionOf(sql))
    .orderBy('e.sequence')

const unread = statement<Cursor & { events: number }, Stored<LoggedEvent> & { readonly reached: number }>((sql) =>
  limited(sql, unreadOf(sql, loggedColumns).select(changesIn(sql, param('workspace_id'), 'e')), param('events')),
)

/** An event that a consumer has not read yet, and the position that the consumer has reached. */
export type Unread<E> = { readonly reached: number; readonly event: E }

/** Returns the first events of a workspace that a consumer has not read yet, in order. */
export const listUnread = async (
  tx: ReadTx,
  workspaceId: string,
  consumer: string,
  events: number,
): Promise<Unread<LoggedEvent>[]> =>
  (await tx.all(unread, { workspace_id: workspaceId, consumer, events })).map(({ reached, ...event }) => ({
    reached,
    event: withChanges(event),
  }))

/** The subject of an event, without its payload. */
export type EventSubject = Pick<LoggedEvent, 'sequence' | 'id' | 'type' | 'object' | 'record_id'>

const unreadSubjects = statement<Cursor & { events: number }, EventSubject & { readonly reached: number }>((sql) =>
  limited(sql, unreadOf(sql, ['sequence', 'id', 'type', 'object', 'record_id']), param('events')),
)

/** Returns what the first events are about that a consumer has not read yet, in order. */
export const listUnreadSubjects = async (
  tx: ReadTx,
  workspaceId: string,
  consumer: string,
  events: number,
): Promise<Unread<EventSubject>[]> =>
  (await tx.all(unreadSubjects, { workspace_id: workspaceId, consumer, events })).map(({ reached, ...event }) => ({
    reached,
    event,
  }))

const move = statement<Cursor & { from: number; to: number }, never>(({ knex }) =>
  knex('event_cursor')
    .update({ sequence: param('to') })
    .where({ workspace_id: param('workspace_id'), consumer: param('consumer'), sequence: param('from') }),
)

/** Moves a cursor, and returns false if it is no longer where it was read: another process has moved it. */
export const moveCursor = async (
  tx: Tx,
  workspaceId: string,
  consumer: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<boolean> => (await tx.run(move, { workspace_id: workspaceId, consumer, from, to })) === 1

const position = statement<Cursor, { sequence: number }>(positionOf)

/** Returns the number of the last event that a consumer has read; undefined if it does not follow the workspace. */
export const findPosition = async (tx: ReadTx, workspaceId: string, consumer: string): Promise<number | undefined> =>
  (await tx.first(position, { workspace_id: workspaceId, consumer }))?.sequence

/**
 * Lets a consumer follow a workspace from the end of its log on; does nothing where it does so already. The end is
 * locked: the transaction that numbers the next events finds the consumer that it has to wake.
 */
export async function startFollowing(tx: Tx, workspaceId: string, consumer: string): Promise<void> {
  const sequence = await lockEnd(tx, workspaceId)
  await tx.insertNew('event_cursor', [{ workspace_id: workspaceId, consumer, sequence }], ['workspace_id'])
}

/** Ends following; started again, a consumer begins at the end of the log, not where it ended. */
export const stopFollowing = (tx: Tx, workspaceId: string, consumer: string): Promise<void> =>
  tx.deleteByKey('event_cursor', [{ workspace_id: workspaceId, consumer }])

/** The lag of a consumer of events, in all workspaces together. */
export type ConsumerFacts = {
  readonly consumer: string
  /** Events that it has not read. */
  readonly events: number
  /** The time for which the oldest of them has waited. */
  readonly lagMs: number
}

type Found = { readonly consumer: string; readonly events: number; readonly oldest: number | null }

/** Returns the lags of the consumers that follow logs by cursors. */
export async function cursorLags({ reader }: Pick<Database, 'reader'>, now: number): Promise<ConsumerFacts[]> {
  const found = await rowsOfNodes<Found>(reader, (sql, only) => {
    // Citus leaves out no node for a table that only a join binds.
    const among = (column: string) => (only === undefined ? sql`true` : sql.dialect.oneOf(column, only))
    return sql`select position.consumer, sum(h.last_sequence - position.sequence) as events, min(e.created_at) as oldest
      from event_cursor as position join event_head as h on h.workspace_id = position.workspace_id
        left join event as e on e.workspace_id = position.workspace_id and e.sequence = position.sequence + 1
      where ${among('position.workspace_id')} and ${among('h.workspace_id')}
      group by position.consumer order by position.consumer`
  })
  const lagOf = ({ oldest }: Found): number => Math.max(0, now - (oldest ?? now))
  return [...Map.groupBy(found, ({ consumer }) => consumer)].map(([consumer, ofNodes]) => ({
    consumer,
    events: ofNodes.reduce((sum, { events }) => sum + events, 0),
    lagMs: Math.max(...ofNodes.map(lagOf)),
  }))
}
