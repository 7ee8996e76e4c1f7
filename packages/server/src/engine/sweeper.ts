import { LeaseWatch } from './lease-watch.ts'
import { lockLease, settle, type Next } from './outcomes/store.ts'
import { dueMax, followClock, wasSetBack, type JobQueries, type LeasedJob } from './store.ts'
import type { Deps } from './types.ts'

export type SweeperOptions = Deps & {
  readonly jobs: JobQueries
  readonly leaseMsOf: (kind: string) => number
  readonly afterFailure: (job: LeasedJob, error: string) => Next
}

/** Takes over jobs whose leases have expired, and reschedules jobs after the clock was set back. */
export class Sweeper {
  readonly #options: SweeperOptions
  readonly #leases = new LeaseWatch()

  constructor(options: SweeperOptions) {
    this.#options = options
  }

  async look(): Promise<void> {
    await this.#takeBackLost()
    const { database, clock } = this.#options
    if (!(await wasSetBack(database.reader, clock.now()))) return
    while ((await database.write((tx) => followClock(tx, clock.now()))) === dueMax);
  }

  async #takeBackLost(): Promise<void> {
    const { database, clock, logger, jobs, leaseMsOf, afterFailure } = this.#options
    const leased = await database.reader.all(jobs.listLeased, {})
    const seen = leased.map((job) => ({
      job,
      key: `${job.workspace_id} ${job.id}`,
      attempt: job.attempt,
      leasedAt: job.leased_at,
      leaseMs: leaseMsOf(job.kind),
    }))
    for (const { job, leaseMs } of this.#leases.look(seen, performance.now())) {
      const { id, kind, workspace_id, attempt, leased_by } = job
      await database.write(async (tx) => {
        const lease = await lockLease(tx, { workspace_id, id, attempt, leased_by })
        if (lease?.leased_at !== job.leased_at) return
        await settle(
          tx,
          { workspace_id, id, attempt, leased_by },
          afterFailure(job, `The process ended, or was silent for ${leaseMs} ms`),
          lease.payload,
          clock.now(),
        )
        tx.publish('jobs')
      })
      logger.warn({ job: { id, kind, workspaceId: workspace_id, attempt } }, 'the lease of a job was lost')
    }
  }
}
