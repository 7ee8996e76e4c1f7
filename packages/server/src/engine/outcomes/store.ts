import type { Knex } from 'knex'
import { param, statement } from '../../db/statement.ts'
import type { Tx } from '../../db/tx.ts'

/** Proof that a run still holds its job. */
export type Fence = {
  readonly workspace_id: string
  readonly id: string
  readonly attempt: number
  readonly leased_by: string
}

const fenced = (knex: Knex): Knex.QueryBuilder =>
  knex('job').where({
    workspace_id: param('workspace_id'),
    id: param('id'),
    attempt: param('attempt'),
    leased_by: param('leased_by'),
  })

const renew = statement<Fence & { leased_at: number }, never>(({ knex }) =>
  fenced(knex).update({ leased_at: param('leased_at') }),
)

/** Renews a lease; false if another runner has the job. */
export const renewLease = async (tx: Tx, fence: Fence, leasedAt: number): Promise<boolean> =>
  (await tx.run(renew, { ...fence, leased_at: leasedAt })) > 0

const lease = statement<Fence, { leased_at: number; payload: unknown }>(({ knex, dialect }) =>
  dialect.locked(fenced(knex).select('leased_at', 'payload'), 'change'),
)

/** Reads a lease and locks it until the transaction ends. */
export const lockLease = (tx: Tx, fence: Fence): Promise<{ leased_at: number; payload: unknown } | undefined> =>
  tx.first(lease, fence)

const noLease = { leased_by: null, leased_at: null, wanted_at: null }

const remove = statement<Fence, never>(({ knex }) => fenced(knex).whereNull('wanted_at').delete())

/** A run of a job. */
export type JobAttempt = Pick<Fence, 'id' | 'attempt'>

/** Deletes jobs without keys, which nothing can have asked to run again; returns the runs that held them. */
export async function removeUnkeyed(tx: Tx, fences: readonly Fence[]): Promise<JobAttempt[]> {
  // One statement for each workspace: then all of its rows are in one partition.
  const byWorkspace = Map.groupBy(fences, ({ workspace_id }) => workspace_id)
  const removed = await Promise.all(
    [...byWorkspace.values()].map((some) => tx.deleteReturning('job', some, ['id', 'attempt'])),
  )
  return removed.flat()
}

const end = statement<Fence & { ended_at: number; failures: number; last_error: string }, never>(({ knex }) =>
  fenced(knex)
    .whereNull('wanted_at')
    .update({ ...noLease, ended_at: param('ended_at'), failures: param('failures'), last_error: param('last_error') }),
)

type Later = {
  readonly run_at: number
  readonly scheduled_at: number
  readonly payload: string
  readonly failures: number
  readonly last_error: string | null
}

const later = {
  run_at: param('run_at'),
  scheduled_at: param('scheduled_at'),
  payload: param('payload'),
  failures: param('failures'),
  last_error: param('last_error'),
}

const postpone = statement<Fence & Later, never>(({ knex }) => fenced(knex).update({ ...noLease, ...later }))

const postponeUnlessWanted = statement<Fence & Later, never>(({ knex }) =>
  fenced(knex)
    .where((query) => void query.whereNull('wanted_at').orWhere('wanted_at', '>=', param('run_at')))
    .update({ ...noLease, ...later }),
)

const runAsWanted = statement<Fence & { payload: string }, never>(({ knex }) =>
  fenced(knex)
    .whereNotNull('wanted_at')
    .update({ ...noLease, run_at: knex.ref('wanted_at'), payload: param('payload'), failures: 0, last_error: null }),
)

/** What happens to a job after a run. */
export type Next =
  | { readonly state: 'done' }
  | { readonly state: 'failed'; readonly failures: number; readonly error: string }
  /** Unless the job has been enqueued for an earlier time in the meantime. */
  | { readonly state: 'again'; readonly inMs: number }
  /** Delayed, even if it is enqueued again. */
  | { readonly state: 'retry'; readonly inMs: number; readonly failures: number; readonly error: string | null }

/** Stores the outcome of a run and ends its lease; false, without a change, if another runner has the job. */
export async function settle(tx: Tx, fence: Fence, next: Next, payload: unknown, now: number): Promise<boolean> {
  const held = JSON.stringify(payload)
  return (await store(tx, fence, next, held, now)) > 0 || (await tx.run(runAsWanted, { ...fence, payload: held })) > 0
}

function store(tx: Tx, fence: Fence, next: Next, payload: string, now: number): Promise<number> {
  if (next.state === 'done') return tx.run(remove, fence)
  if (next.state === 'failed')
    return tx.run(end, { ...fence, ended_at: now, failures: next.failures, last_error: next.error })
  const times = { ...fence, run_at: now + next.inMs, scheduled_at: now, payload }
  if (next.state === 'again') return tx.run(postponeUnlessWanted, { ...times, failures: 0, last_error: null })
  return tx.run(postpone, { ...times, failures: next.failures, last_error: next.error })
}
