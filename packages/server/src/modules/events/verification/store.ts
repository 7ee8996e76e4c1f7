import { isLive } from '../../../db/expressions.ts'
import type { ReadTx } from '../../../db/tx.ts'
import type { Discrepancy, Verification } from '../../../kernel/verification.ts'
import { changeTypes } from '../changes/store.ts'
import { outboxUpkeep } from '../outbox/store.ts'

const portionEvents = 10_000

/** Events get their numbers within seconds. */
const lateMs = 60_000

type Bounds = { readonly head: number | null; readonly first: number | null; readonly last: number | null }

async function findBounds(tx: ReadTx, workspaceId: string): Promise<Bounds> {
  const [bounds] = await tx.query<Bounds>(
    (sql) =>
      sql`select (select last_sequence from event_head where workspace_id = ${workspaceId}) as head,
        (select min(sequence) from event where workspace_id = ${workspaceId}) as first,
        (select max(sequence) from event where workspace_id = ${workspaceId}) as last`,
  )
  return bounds ?? { head: null, first: null, last: null }
}

/** Verifies that every event has its number: none is missing, none waits, and the head is that of the last one. */
export const eventVerification: Verification = {
  name: 'Event numbers',
  async verify(tx, { workspaceId, after, now }) {
    const { head, first, last } = await findBounds(tx, workspaceId)
    const from = after === undefined ? (first ?? 1) - 1 : Number(after)
    const until = Math.min(from + portionEvents, last ?? 0)
    const [counted] = await tx.query<{ events: number }>(({ knex }) =>
      knex('event')
        .count('* as events')
        .where('workspace_id', workspaceId)
        .where('sequence', '>', from)
        .where('sequence', '<=', until),
    )
    const checked = counted?.events ?? 0
    const missing = Math.max(0, until - from) - checked
    return {
      checked,
      discrepancies: [
        ...(missing > 0 ? [{ detail: `${missing} of the events ${from + 1} to ${until} are missing` }] : []),
        ...(after === undefined
          ? [
              ...headDiscrepancies(workspaceId, head ?? 0, last ?? 0),
              ...(await outboxDiscrepancies(tx, workspaceId, now)),
            ]
          : []),
      ],
      next: until < (last ?? 0) ? String(until) : undefined,
    }
  },
}

const headDiscrepancies = (workspaceId: string, head: number, last: number): Discrepancy[] =>
  head >= last
    ? []
    : [
        {
          detail: `the next event would get the number ${head + 1}, which exists: the last event is ${last}`,
          repair: async (tx) => {
            const row = { workspace_id: workspaceId, last_sequence: last }
            await tx.insertNew('event_head', [{ ...row, last_sequence: 0 }], ['workspace_id'])
            await tx.change(({ knex }) =>
              knex('event_head')
                .update({ last_sequence: last })
                .where('workspace_id', workspaceId)
                .where('last_sequence', '<', last),
            )
          },
        },
      ]

async function outboxDiscrepancies(tx: ReadTx, workspaceId: string, now: number): Promise<Discrepancy[]> {
  const [waiting] = await tx.query<{ events: number }>(({ knex }) =>
    knex('outbox')
      .count('* as events')
      .where('workspace_id', workspaceId)
      .where('created_at', '<', now - lateMs),
  )
  const events = waiting?.events ?? 0
  if (events === 0) return []
  return [
    {
      detail: `${events} events have waited for their numbers for more than a minute`,
      repair: async (write) => void (await outboxUpkeep.batch(write, workspaceId, now)),
    },
  ]
}

/** Verifies that the events of records that exist have their changes; those of a purged one are erased with it. */
export const eventChangesVerification: Verification = {
  name: 'Changes of events',
  async verify(tx, { workspaceId, after }) {
    const from = after === undefined ? ((await findBounds(tx, workspaceId)).first ?? 1) - 1 : Number(after)
    const until = from + portionEvents
    const [found] = await tx.query<{ events: number; last: number | null }>(
      (sql) =>
        sql`select (select max(sequence) from event where workspace_id = ${workspaceId}) as last,
          (select count(*) from event as e where e.workspace_id = ${workspaceId}
             and e.sequence > ${from} and e.sequence <= ${until}
             and ${sql.dialect.oneOf('e.type', changeTypes, 'text')} and e.payload -> 'diff' is null
             and exists (select 1 from record as r
               where r.workspace_id = ${workspaceId} and r.id = e.record_id and ${isLive(sql, 'r')})
             and not exists (select 1 from activity as a
               where a.workspace_id = ${workspaceId} and a.id = e.id)) as events`,
    )
    const { events = 0, last } = found ?? {}
    const detail = `${events} of the events ${from + 1} to ${until} have no changes, since no feed has them`
    return {
      checked: Math.max(0, Math.min(until, last ?? 0) - from),
      discrepancies: events > 0 ? [{ detail }] : [],
      next: until < (last ?? 0) ? String(until) : undefined,
    }
  },
}
