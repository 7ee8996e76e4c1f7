import type { Knex } from 'knex'
import { doerOf, type Actor } from '../../../kernel/actor.ts'
import type { NamedEvent } from '../../../kernel/events.ts'
import type { Dialect } from '../../../db/dialect.ts'
import type { Topic } from '../../../db/published-topics.ts'
import type { Sql } from '../../../db/sql.ts'
import { param, statement } from '../../../db/statement.ts'
import type { Database, ReadTx, Tx } from '../../../db/tx.ts'
import { rowsOfTable, workspacesIn } from '../../../db/workspaces.ts'
import type { WorkspaceUpkeep } from '../../../engine/each-workspace.ts'
import { withoutChanges } from '../changes/store.ts'

type OfWorkspace = { readonly workspace_id: string }

type Source = { readonly workspaceId: string; readonly actor: Actor; readonly silent: boolean; readonly now: number }

/** Returns whether writers run concurrently, so that their events can be numbered only after their commits. */
export const sequencesLater = (dialect: Dialect): boolean => dialect.name === 'postgres'

/**
 * Writes events in the transaction of the change, which also writes their changes into the feeds of their subjects;
 * they appear in the log of the workspace in the order of their numbers.
 */
export async function writeOutbox(
  tx: Tx,
  { workspaceId, actor, silent, now }: Source,
  events: readonly NamedEvent[],
): Promise<void> {
  const { cause, chain } = actor
  const by = { ...doerOf(actor), ...(cause && { cause }), ...(chain && { chain }) }
  const rows = events.map(({ id, type, object, recordId, payload }) => ({
    workspace_id: workspaceId,
    id,
    type,
    object,
    record_id: recordId,
    actor: by,
    silent,
    payload: withoutChanges(type, payload),
    created_at: now,
  }))
  if (sequencesLater(tx.dialect)) {
    tx.publish('outbox')
    await tx.insert('outbox', rows)
  } else if (rows.length > 0) {
    tx.publish('events')
    await tx.run(advance, { workspace_id: workspaceId, events: rows.length })
    const { last_sequence: last = 0, consumers } = (await tx.first(findHead, { workspace_id: workspaceId })) ?? {}
    wake(tx, consumers)
    await tx.insert(
      'event',
      rows.map((row, index) => ({ ...row, sequence: last - rows.length + 1 + index })),
    )
  }
}

// Two statements: SQLite builds a table for the result of RETURNING, which takes five times as long as a query for it.

const advance = statement<{ workspace_id: string; events: number }, never>(
  (sql) =>
    sql`insert into event_head (workspace_id, last_sequence) values (${param('workspace_id')}, ${param('events')})
     on conflict (workspace_id) do update set last_sequence = event_head.last_sequence + excluded.last_sequence`,
)

/** The names of those that follow a workspace, with spaces between them; null if there are none. */
const consumersOf = (sql: Sql): Knex.Raw =>
  sql`(select string_agg(consumer, ' ') from event_cursor where workspace_id = ${param('workspace_id')})`

type Followed = { readonly consumers: string | null }

/** The topic by which a consumer is woken, if it follows the workspace of the events. */
export const topicOf = (consumer: string): Topic => `events.${consumer}`

/** Lets consumers read what is numbered with this transaction: an event that no consumer follows costs no check. */
function wake(tx: Tx, consumers: string | null | undefined): void {
  for (const consumer of consumers?.split(' ') ?? []) tx.publish(topicOf(consumer))
}

const findHead = statement<OfWorkspace, Followed & { last_sequence: number }>(
  (sql) =>
    sql`select last_sequence, ${consumersOf(sql)} as consumers from event_head
     where workspace_id = ${param('workspace_id')}`,
)

const findMark = statement<{ workspace_id: string }, { last_sequence: number | null; waiting: number }>(
  (sql) =>
    sql`select
      (select last_sequence from event_head where workspace_id = ${param('workspace_id')}) as last_sequence,
      (select count(*) from (
        select 1 from outbox where workspace_id = ${param('workspace_id')} limit 1
      ) as w) as waiting`,
)

/**
 * The number of a workspace's last event, which stays the same exactly as long as nothing happens there; undefined
 * while committed events wait for their numbers.
 */
export async function findChangeMark(tx: ReadTx, workspaceId: string): Promise<number | undefined> {
  const found = await tx.first(findMark, { workspace_id: workspaceId })
  return found?.waiting === 0 ? (found.last_sequence ?? 0) : undefined
}

/** Events of a workspace that are numbered in one transaction. */
const batchMax = 2000

const addHead = statement<OfWorkspace, never>(({ knex }) =>
  knex('event_head')
    .insert({ workspace_id: param('workspace_id'), last_sequence: 0 })
    .onConflict()
    .ignore(),
)

const lockHead = statement<OfWorkspace, { last_sequence: number }>(({ knex, dialect }) =>
  dialect.locked(knex('event_head').select('last_sequence').where('workspace_id', param('workspace_id')), 'delete'),
)

/**
 * The portion is bounded by its last row, never joined row by row: statistics of a queue are those of the moment in
 * which they were gathered, and where the outbox was empty then, such a join compares every pair of rows. Each part
 * reads a table by its workspace: a distributed Postgres asks all its nodes otherwise, or any of them for a part that
 * reads other parts only, and then a node that is down stops the numbers of all workspaces (0340).
 */
const number = statement<OfWorkspace, Followed & { events: number }>((sql) => {
  const columns = sql`id, type, object, record_id, actor, silent, payload, created_at`
  return sql`with first as (
       select written_us, id from outbox where workspace_id = ${param('workspace_id')}
         order by written_us, id limit ${batchMax}
     ), last as (
       select written_us, id from first order by written_us desc, id desc limit 1
     ), taken as (
       delete from outbox using last
       where outbox.workspace_id = ${param('workspace_id')}
         and (outbox.written_us, outbox.id) <= (last.written_us, last.id)
       returning outbox.*
     ), numbered as (
       insert into event (workspace_id, sequence, ${columns})
       select head.workspace_id, head.last_sequence + row_number() over (order by written_us, id), ${columns}
       from taken cross join (
         select workspace_id, last_sequence from event_head where workspace_id = ${param('workspace_id')}
       ) as head
       returning sequence
     ), advanced as (
       update event_head set last_sequence = last_sequence + (select count(*) from numbered)
         where workspace_id = ${param('workspace_id')}
     )
     select count(numbered.sequence) as events, ${consumersOf(sql)} as consumers
     from event_head left join numbered on true where event_head.workspace_id = ${param('workspace_id')}`
})

/** Locks the end of a log, so that no event is numbered before the transaction ends; returns its last number. */
export async function lockEnd(tx: Tx, workspaceId: string): Promise<number> {
  const key = { workspace_id: workspaceId }
  const [, head] = await Promise.all([tx.run(addHead, key), tx.first(lockHead, key)])
  return head?.last_sequence ?? 0
}

/**
 * Numbers the committed events of a workspace in the order in which they were written; returns whether there may be
 * more. Any number of nodes may do so at once. A reader that continues from a number misses nothing: the head is locked
 * first, the statement after the lock sees all that was numbered before, and later commits get higher numbers.
 */
async function sequence(tx: Tx, workspaceId: string): Promise<boolean> {
  const key = { workspace_id: workspaceId }
  tx.publish('events')
  const [, , numbered] = await Promise.all([tx.run(addHead, key), tx.first(lockHead, key), tx.first(number, key)])
  wake(tx, numbered?.consumers)
  return numbered?.events === batchMax
}

/** Numbers events, in each workspace that has some without a number. */
export const outboxUpkeep: WorkspaceUpkeep = { due: (tx) => workspacesIn(tx, 'outbox'), batch: sequence }

/** The number of events without a sequence number, and how long the oldest of them has waited. */
export async function outboxFacts(
  { reader }: Pick<Database, 'reader'>,
  now: number,
): Promise<{ waiting: number; lagMs: number }> {
  const found = await rowsOfTable<{ waiting: number; oldest: number | null }>(reader, ({ knex }) =>
    knex('outbox').count('* as waiting').min('created_at as oldest'),
  )
  return {
    waiting: found.reduce((sum, { waiting }) => sum + waiting, 0),
    lagMs: Math.max(0, ...found.map(({ oldest }) => lagOf(oldest, now))),
  }
}

const lagOf = (oldest: number | null | undefined, now: number): number => Math.max(0, now - (oldest ?? now))
