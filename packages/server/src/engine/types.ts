import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Database, Tx } from '../db/tx.ts'
import type { Clock } from '../kernel/clock.ts'

/** Stands for the workspace of a job that is about the whole installation. */
export const systemWide = '00000000-0000-0000-0000-000000000000'

/** What a job is called and what it carries: all that those who enqueue it need to know. */
export type JobType<P> = { readonly name: string; readonly payload: z.ZodType<P> }

/** How jobs of a type are done. */
export type JobKind<P> = JobType<P> & {
  /**
   * Does one portion of the work, short on SQLite (a few milliseconds of its one writer). It may be run again from where it
   * began: after a crash, or when its lease was lost. What must happen exactly once belongs into `context.conclude`. A run
   * may come early where the clock was set back, so whoever waits for a date looks at the clock.
   */
  run(context: JobContext, payload: P): Promise<JobOutcome<P>>
  /** Failures in a row after which the job has failed; 12 by default, which take about an hour. */
  readonly maxAttempts?: number
  /** How long a run may take without a heartbeat, and how long others leave it alone after a crash; 30 s by default. */
  readonly leaseMs?: number
}

export type JobContext = {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
  /** `systemWide` where the job is about no workspace. */
  readonly workspaceId: string
  /** Aborted when the server stops or the lease was lost: finish the portion or throw, and do not begin another. */
  readonly signal: AbortSignal
  /** Of how many runs of this job this is the last; grows by one with each, whatever became of the others. */
  readonly attempt: number
  /** Makes the lease begin again; rejects with `LeaseLost` where somebody else has the job by now. */
  readonly heartbeat: () => Promise<void>
  /**
   * Runs the last transaction of the run, and stores the outcome in it: either both are there or neither, also after a crash.
   * Return its result. Rejects with `LeaseLost`, and changes nothing, where somebody else has the job by now.
   */
  readonly conclude: <O extends JobOutcome<unknown>>(work: (tx: Tx) => Promise<O>) => Promise<O>
}

/** `again`: there is more to do, or to look at, in so many milliseconds; without a payload with the same. */
export type JobOutcome<P> =
  | { readonly state: 'done' }
  | { readonly state: 'again'; readonly inMs: number; readonly payload?: P }

/** What everything in here works with. */
export type Deps = Pick<JobContext, 'database' | 'clock' | 'logger'>

/** Somebody else has the job by now: what this run would still store does not count. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
  constructor() {
    super('The lease of the job was lost')
  }
}
