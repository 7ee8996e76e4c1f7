import type { Knex } from 'knex'
import { param, statement } from '../../db/statement.ts'
import type { Sql } from '../../db/sql.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'

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
  fenced(knex).update({ leased_at: param('leased_at'), watched_ms: null }),
)

/** Renews a lease; false if another runner has the job. */
export const renewLease = async (tx: Tx, fence: Fence, leasedAt: number): Promise<boolean> =>
  (await tx.run(renew, { ...fence, leased_at: leasedAt })) > 0

type OfRunner = { readonly ids: readonly string[]; readonly leased_by: string }

const ofRunner = ({ knex, dialect }: Sql): Knex.QueryBuilder =>
  knex('job')
    .where({ leased_by: param('leased_by') })
    .where(dialect.oneOf('id', param('ids')))

const renewAll = statement<OfRunner & { leased_at: number }, JobAttempt>((sql) =>
  sql
    .knex('job')
    .where({ leased_by: param('leased_by') })
    .whereIn('id', sql.dialect.locked(ofRunner(sql).select('id'), 'claim'))
    .update({ leased_at: param('leased_at'), watched_ms: null })
    .returning(['id', 'attempt']),
)

const listHeld = statement<OfRunner, JobAttempt>((sql) => ofRunner(sql).select('id', 'attempt'))

/**
 * Renews leases of one runner; returns the runs whose leases were renewed, and all that it still holds. A job that is
 * locked is left out, mostly by the transaction of its own run: the leases of the others must not wait for its commit.
 */
export async function renewLeases(
  tx: Tx,
  leasedBy: string,
  ids: readonly string[],
  leasedAt: number,
): Promise<{ readonly renewed: readonly JobAttempt[]; readonly held: readonly JobAttempt[] }> {
  const renewed = await tx.all(renewAll, { ids, leased_by: leasedBy, leased_at: leasedAt })
  const isEach = renewed.length === ids.length
  return { renewed, held: isEach ? renewed : await tx.all(listHeld, { ids, leased_by: leasedBy }) }
}

const lease = statement<Fence, { leased_at: number }>(({ knex, dialect }) =>
  dialect.locked(fenced(knex).select('leased_at'), 'change'),
)

/** Reads a lease and locks it until the transaction ends. */
export const lockLease = (tx: Tx, fence: Fence): Promise<{ leased_at: number } | undefined> => tx.first(lease, fence)

const noteLosses = statement<Fence & { losses: number }, never>(({ knex }) =>
  fenced(knex).update({ losses: param('losses') }),
)

/** `losses` of a job that begins work again with which a process was lost: 0 before that loss, 1 since it. */
export const begunAgain = 2

/** Notes what is known of processes that were lost with the work of a job; false if another runner has it. */
export const setLosses = async (tx: Tx, fence: Fence, losses: number): Promise<boolean> =>
  (await tx.run(noteLosses, { ...fence, losses })) > 0

const payloadOf = statement<Fence, { payload: unknown }>(({ knex }) => fenced(knex).select('payload'))

/** Returns the payload of a job that a run has leased; undefined if its lease has ended. */
export const findCarried = (tx: ReadTx, fence: Fence): Promise<{ payload: unknown } | undefined> =>
  tx.first(payloadOf, fence)

const noLease = { leased_by: null, leased_at: null, watched_ms: null, wanted_at: null }

const remove = statement<Fence, never>(({ knex }) => fenced(knex).whereNull('wanted_at').delete())

/** Groups rows by workspace, so that all rows of a statement are in one partition. */
const byWorkspace = <Row extends { readonly workspace_id: string }>(rows: readonly Row[]): Row[][] => [
  ...Map.groupBy(rows, ({ workspace_id }) => workspace_id).values(),
]

/** A run of a job. */
export type JobAttempt = Pick<Fence, 'id' | 'attempt'>

/** Deletes jobs without keys, which nothing can have asked to run again; returns the runs that held them. */
export async function removeUnkeyed(tx: Tx, fences: readonly Fence[]): Promise<JobAttempt[]> {
  const removed = await Promise.all(
    byWorkspace(fences).map((some) => tx.deleteReturning('job', some, ['id', 'attempt'])),
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
  readonly losses: number
  readonly last_error: string | null
}

const later = {
  run_at: param('run_at'),
  scheduled_at: param('scheduled_at'),
  payload: param('payload'),
  failures: param('failures'),
  losses: param('losses'),
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
    .update({
      ...noLease,
      run_at: knex.ref('wanted_at'),
      payload: param('payload'),
      failures: 0,
      losses: 0,
      last_error: null,
    }),
)

/** It has failed for good. */
export type Failed = {
  readonly state: 'failed'
  readonly failures: number
  readonly error: string
  /** Its process was lost with the same work twice. */
  readonly isLost?: true
}

/** The next state of a job after a run. */
export type Next =
  | { readonly state: 'done' }
  | Failed
  /** Unless the job has been enqueued for an earlier time in the meantime. */
  | { readonly state: 'again'; readonly inMs: number; readonly failures?: number; readonly losses?: number }
  /** Delayed, even if it is enqueued again. */
  | {
      readonly state: 'retry'
      readonly inMs: number
      readonly failures: number
      readonly losses: number
      readonly error: string | null
    }

/** Stores the outcome of a run and ends its lease; false, without a change, if another runner has the job. */
export async function settle(tx: Tx, fence: Fence, next: Next, payload: unknown, now: number): Promise<boolean> {
  const held = JSON.stringify(payload)
  return (await store(tx, fence, next, held, now)) || (await tx.run(runAsWanted, { ...fence, payload: held })) > 0
}

/** Ends a job for good; false, without a change, if it is wanted again, or another runner has it. */
export const endJob = async (tx: Tx, fence: Fence, { failures, error }: Failed, now: number): Promise<boolean> =>
  (await tx.run(end, { ...fence, ended_at: now, failures, last_error: error })) > 0

async function store(tx: Tx, fence: Fence, next: Next, payload: string, now: number): Promise<boolean> {
  if (next.state === 'failed') return endJob(tx, fence, next, now)
  return (await keep(tx, fence, next, payload, now)) > 0
}

function keep(tx: Tx, fence: Fence, next: Exclude<Next, Failed>, payload: string, now: number): Promise<number> {
  if (next.state === 'done') return tx.run(remove, fence)
  const times = { ...fence, run_at: now + next.inMs, scheduled_at: now, payload }
  const { failures = 0, losses = 0 } = next
  if (next.state === 'again') return tx.run(postponeUnlessWanted, { ...times, failures, losses, last_error: null })
  return tx.run(postpone, { ...times, failures, losses, last_error: next.error })
}

/** A lease as it was seen. */
export type Lease = Fence & { readonly leased_at: number }

const standing = statement<{ ids: readonly string[] }, Lease>(({ knex, dialect }) =>
  dialect.locked(
    knex('job')
      .select('workspace_id', 'id', 'attempt', 'leased_by', 'leased_at')
      .whereNotNull('leased_by')
      .where(dialect.oneOf('id', param('ids'))),
    'claim',
  ),
)

/** Consequence of a lost lease. */
export type Lost<L extends Lease> = {
  readonly lease: L
  readonly next: Extract<Next, { state: 'retry' }>
}

/**
 * Takes all jobs back together whose leases still stand as they were seen, and returns those leases; one whose runner
 * stores its outcome at this moment keeps it.
 */
export async function takeBack<L extends Lease>(tx: Tx, lost: readonly Lost<L>[], now: number): Promise<L[]> {
  const found = await tx.all(standing, { ids: lost.map(({ lease: { id } }) => id) })
  const held = new Map(found.map((one) => [one.id, one]))
  const taken = lost.filter(({ lease: { id, attempt, leased_at } }) => {
    const current = held.get(id)
    return current?.attempt === attempt && current.leased_at === leased_at
  })
  await tx.updateByKey(
    'job',
    ['workspace_id', 'id'],
    taken.map(({ lease: { workspace_id, id }, next: { inMs, failures, losses, error } }) => ({
      workspace_id,
      id,
      ...noLease,
      run_at: now + inMs,
      scheduled_at: now,
      failures,
      losses,
      last_error: error,
    })),
  )
  return taken.map(({ lease: one }) => one)
}

/** Notes for how long leases have been seen to stand, for processes that come later. A renewal counts anew. */
export async function noteWatched(tx: Tx, leases: readonly (Lease & { readonly watched_ms: number })[]): Promise<void> {
  const rows = leases.map(({ workspace_id, id, attempt, leased_at, watched_ms }) => ({
    workspace_id,
    id,
    attempt,
    leased_at,
    watched_ms,
  }))
  for (const some of byWorkspace(rows))
    await tx.updateByKey('job', ['workspace_id', 'id', 'attempt', 'leased_at'], some)
}
