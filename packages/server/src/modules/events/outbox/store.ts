import { actorId, type Actor } from '../../../kernel/actor.ts'
import type { NamedEvent } from '../../../kernel/events.ts'
import type { Dialect } from '../../../db/dialect.ts'
import { param, statement } from '../../../db/statement.ts'
import type { Database, Tx } from '../../../db/tx.ts'

type Source = { readonly workspaceId: string; readonly actor: Actor; readonly silent: boolean; readonly now: number }

/** Returns whether writers run concurrently, so that their events can be numbered only after their commits. */
export const sequencesLater = (dialect: Dialect): boolean => dialect.name === 'postgres'

/**
 * Writes events in the transaction of the change; they appear in the log of the workspace in the order of their
 * numbers.
 */
export async function writeOutbox(
  tx: Tx,
  { workspaceId, actor, silent, now }: Source,
  events: readonly NamedEvent[],
): Promise<void> {
  const by = { id: actorId(actor), kind: actor.kind }
  const rows = events.map(({ id, type, object, recordId, payload }) => ({
    workspace_id: workspaceId,
    id,
    type,
    object,
    record_id: recordId,
    actor: by,
    silent,
    payload,
    created_at: now,
  }))
  if (sequencesLater(tx.dialect)) {
    tx.publish('outbox')
    await tx.insert('outbox', rows)
  } else if (rows.length > 0) {
    tx.publish('events')
    await tx.run(advance, { workspace_id: workspaceId, events: rows.length })
    const last = (await tx.first(findHead, { workspace_id: workspaceId }))?.last_sequence ?? 0
    await tx.insert(
      'event',
      rows.map((row, index) => ({ ...row, sequence: last - rows.length + 1 + index })),
    )
  }
}

// Two statements: SQLite builds a table for the result of RETURNING, which takes five times as long as a query for it.

const advance = statement<{ workspace_id: string; events: number }, never>(({ knex }) =>
  knex.raw(
    `insert into event_head (workspace_id, last_sequence) values (?, ?)
     on conflict (workspace_id) do update set last_sequence = event_head.last_sequence + excluded.last_sequence`,
    [param('workspace_id'), param('events')],
  ),
)

const findHead = statement<{ workspace_id: string }, { last_sequence: number }>(({ knex }) =>
  knex('event_head').select('last_sequence').where('workspace_id', param('workspace_id')),
)

/** Events numbered in one transaction, of all workspaces together. */
const batchMax = 2000

const listWaiting = statement<Record<string, never>, { workspace_id: string }>(({ knex }) =>
  knex.raw(
    `with recursive turn (workspace_id) as (
       (select workspace_id from outbox order by workspace_id limit 1)
       union all
       select (select o.workspace_id from outbox as o where o.workspace_id > turn.workspace_id order by o.workspace_id limit 1) from turn where turn.workspace_id is not null
     ) select workspace_id from turn where workspace_id is not null`,
  ),
)

const addHeads = statement<{ workspaces: readonly string[] }, never>(({ knex }) =>
  knex.raw('insert into event_head (workspace_id, last_sequence) select unnest(?::uuid[]), 0 on conflict do nothing', [
    param('workspaces'),
  ]),
)

const lockHeads = statement<{ workspaces: readonly string[] }, unknown>(({ knex }) =>
  knex.raw('select 1 from event_head where workspace_id = any(?::uuid[]) order by workspace_id for update', [
    param('workspaces'),
  ]),
)

const eventColumns = 'id, type, object, record_id, actor, silent, payload, created_at'

const number = statement<{ workspaces: readonly string[]; each: number }, { events: number }>(({ knex }) =>
  knex.raw(
    `with first as (
       select o.* from unnest(?::uuid[]) as asked (workspace_id) cross join lateral (
         select workspace_id, written_us, id from outbox where outbox.workspace_id = asked.workspace_id order by written_us, id limit ?
       ) as o
     ), taken as (
       delete from outbox using first where outbox.workspace_id = first.workspace_id and outbox.written_us = first.written_us and outbox.id = first.id returning outbox.*
     ), numbered as (
       insert into event (workspace_id, sequence, ${eventColumns})
       select workspace_id, last_sequence + row_number() over (partition by workspace_id order by written_us, id), ${eventColumns}
       from taken join event_head using (workspace_id)
       returning workspace_id
     ), counted as (
       select workspace_id, count(*) as events from numbered group by workspace_id
     ), advanced as (
       update event_head set last_sequence = last_sequence + counted.events from counted where event_head.workspace_id = counted.workspace_id
     )
     select coalesce(max(events), 0) as events from counted`,
    [param('workspaces'), param('each')],
  ),
)

/**
 * Numbers the committed events in the order in which they were written; returns whether there may be more. Any number
 * of nodes may do so at once. A reader that continues from a number misses nothing: the heads are locked first, the
 * statement after the lock sees all that was numbered before, and later commits get higher numbers.
 */
export async function sequenceOutbox(tx: Tx): Promise<boolean> {
  const waiting = await tx.all(listWaiting, {})
  if (waiting.length === 0) return false
  tx.publish('events')
  const workspaces = waiting.map(({ workspace_id }) => workspace_id)
  const each = Math.ceil(batchMax / workspaces.length)
  const [, , most] = await Promise.all([
    tx.run(addHeads, { workspaces }),
    tx.all(lockHeads, { workspaces }),
    tx.first(number, { workspaces, each }),
  ])
  return most?.events === each
}

/** The number of events without a sequence number, and how long the oldest of them has waited. */
export async function outboxFacts(
  { reader }: Pick<Database, 'reader'>,
  now: number,
): Promise<{ waiting: number; lagMs: number }> {
  const [found] = await reader.query<{ waiting: number; oldest: number | null }>(({ knex }) =>
    knex('outbox').count('* as waiting').min('created_at as oldest'),
  )
  return { waiting: found?.waiting ?? 0, lagMs: lagOf(found?.oldest, now) }
}

const lagOf = (oldest: number | null | undefined, now: number): number => Math.max(0, now - (oldest ?? now))
