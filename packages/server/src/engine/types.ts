import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Database, Tx } from '../db/tx.ts'
import type { Clock } from '../kernel/clock.ts'

/** Stands in for the workspace of a job that concerns the whole installation. */
export const systemWide = '00000000-0000-0000-0000-000000000000'

/** The name and payload of a job: all that code that enqueues it needs to know. */
export type JobType<P> = { readonly name: string; readonly payload: z.ZodType<P> }

/** A type of jobs, and the way in which they run. */
export type JobKind<P> = JobType<P> & {
  /**
   * Does one batch of the work, short on SQLite (a few milliseconds of its one writer). It may run again from the same
   * point after a crash or a lost lease. What must happen exactly once belongs in `context.conclude`. A run may come
   * early after the clock was set back, so a job that waits for a date checks the clock.
   */
  run(context: JobContext, payload: P): Promise<JobOutcome<P>>
  /**
   * Ends what waits for a job that has failed permanently, by itself or with each of its
   * processes: runs in the transaction that ends the job, so that both happen or neither. It locks what it changes
   * before the job is locked, as the runs of the job do.
   */
  onFailed?(tx: Tx, failed: AbandonedJob<P>): Promise<void>
  /** Consecutive failures after which the job has failed for good; 12 by default, which take about an hour. */
  readonly maxAttempts?: number
  /**
   * The time for which a run may go without a heartbeat, and for which other runners leave the job alone after a crash;
   * 30 s by default.
   */
  readonly leaseMs?: number
  /**
   * The process renews the lease as long as the run goes on, each second, for runs that wait for others or for their
   * turn. Then `leaseMs` is how soon a process that dies is noticed, and may be short; a run that hangs is not.
   */
  readonly keepsLease?: boolean
  /**
   * It calls `context.brace` before work that may end the process. Where a second process is lost at the same work,
   * the job has failed for good; a loss at any other time is no failure. For other kinds the first loss is none, and
   * further ones without progress in between are failures.
   */
  readonly braces?: true
}

/** A job that has failed for good. */
export type AbandonedJob<P> = {
  readonly workspaceId: string
  readonly payload: P
  /** Of its last attempt, for the log: it may say what callers must not read. */
  readonly error: string
  readonly now: number
  /** Its process was lost with the same work twice. */
  readonly isLost?: true
}

export type JobContext = {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
  /** `systemWide` if the job belongs to no workspace. */
  readonly workspaceId: string
  /** Aborted when the server stops or the lease is lost: finish the batch or throw, and do not begin another. */
  readonly signal: AbortSignal
  /** For calls to others: aborted when the lease is lost, or a stopping server has waited for them long enough. */
  readonly callSignal: AbortSignal
  /** The number of this run of the job; each run increments it, however the earlier ones ended. */
  readonly attempt: number
  /** Called before work that may end the process; it is noted where one was lost with this work before. */
  readonly brace: () => Promise<void>
  /** Called in a transaction that stores a part of the work: what a process was lost with before is behind it. */
  readonly progress: (tx: Tx) => Promise<void>
  /** Renews the lease; rejects with `LeaseLost` if another runner has the job by now. */
  readonly heartbeat: () => Promise<void>
  /**
   * Runs the last transaction of the run and stores the outcome in it: either both are committed or neither, even after
   * a crash. Return its result. Rejects with `LeaseLost`, and changes nothing, if another runner has the job by now.
   */
  readonly conclude: <O extends JobOutcome<unknown>>(work: (tx: Tx) => Promise<O>) => Promise<O>
}

/**
 * `again`: there is more to do, or to check, in so many milliseconds; without a payload it keeps the current one. A run
 * that was put off has done nothing: earlier failures and losses count as before.
 */
export type JobOutcome<P> =
  | { readonly state: 'done' }
  | { readonly state: 'again'; readonly inMs: number; readonly payload?: P; readonly isPutOff?: true }

/** The dependencies of the job engine. */
export type Deps = Pick<JobContext, 'database' | 'clock' | 'logger'>

/** Another runner has the job by now: what this run would still store does not count. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
  constructor() {
    super('The lease of the job was lost')
  }
}
