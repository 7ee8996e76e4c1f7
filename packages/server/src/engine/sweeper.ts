import { isAwayInPart } from '../db/errors.ts'
import { endForGood } from './ending.ts'
import { LeaseWatch } from './lease-keeper.ts'
import { begunAgain, findCarried, noteWatched, takeBack, type Failed, type Next } from './outcomes/store.ts'
import { dueMax, followClock, wasSetBack, type JobQueries, type LeasedJob } from './store.ts'
import { LeaseLost, type Deps, type JobKind } from './types.ts'

export type SweeperOptions = Deps & {
  readonly jobs: JobQueries
  readonly kindOf: (name: string) => JobKind<unknown>
  readonly leaseMsOf: (kind: string) => number
  readonly afterFailure: (job: LeasedJob, error: string) => Next
  /** Returns whether a run of this process has the job, however late its lease is renewed. */
  readonly isOwn: (job: LeasedJob) => boolean
}

/** Jobs taken back in one transaction, which on SQLite takes them row by row. */
const togetherMax = 200

/** Returns whether any job is leased, and whether any by a process that may be gone. */
export type Leased = { readonly isAny: boolean; readonly isAnyFound: boolean }

type LostJob = { readonly job: LeasedJob; readonly next: Next }

/** Takes over jobs whose leases have expired, and reschedules jobs after the clock was set back. */
export class Sweeper {
  readonly #options: SweeperOptions
  readonly #leases = new LeaseWatch()

  constructor(options: SweeperOptions) {
    this.#options = options
  }

  /** Returns what is leased: where anything is, it is to look again soon, and very soon where a holder may be gone. */
  async look(): Promise<Leased> {
    const { database, clock, jobs, leaseMsOf } = this.#options
    const leased = await database.reader.all(jobs.listLeased, {})
    const seen = leased.map((job) => ({
      job,
      key: `${job.workspace_id} ${job.id}`,
      attempt: job.attempt,
      leasedAt: job.leased_at,
      leaseMs: leaseMsOf(job.kind),
      notedMs: job.watched_ms ?? 0,
    }))
    const { lost, toNote, isAnyFound } = this.#leases.look(seen, clock.monotonicMs())
    await this.#takeBackLost(lost.flatMap(({ job }) => (this.#options.isOwn(job) ? [] : [job])))
    const noted = toNote.map(({ lease: { job }, watchedMs }) => ({ ...job, watched_ms: Math.floor(watchedMs) }))
    if (noted.length > 0) await database.write((tx) => noteWatched(tx, noted))
    if (await wasSetBack(database.reader, clock.now()))
      while ((await database.write((tx) => followClock(tx, clock.now()))) === dueMax);
    return { isAny: leased.length > 0, isAnyFound }
  }

  async #takeBackLost(jobs: readonly LeasedJob[]): Promise<void> {
    const lost = jobs.map((job) => ({ job, next: this.#nextOf(job) }))
    const later = lost.flatMap(({ job, next }) => (next.state === 'retry' ? [{ lease: job, next }] : []))
    for (let from = 0; from < later.length; from += togetherMax) {
      const some = later.slice(from, from + togetherMax)
      const { database, clock } = this.#options
      const taken = await database.write((tx) => {
        tx.publish('jobs')
        return takeBack(tx, some, clock.now())
      })
      for (const job of taken) this.#log(job)
    }
    for (const { job, next } of lost) if (next.state === 'failed') await this.#end(job, next)
  }

  /** Returns the next state of a job whose process died: a run, or its end if too many died with the same work. */
  #nextOf(job: LeasedJob): LostJob['next'] {
    const { kindOf, leaseMsOf, afterFailure } = this.#options
    const { failures, losses } = job
    const { braces = false } = kindOf(job.kind)
    const error = `The process ended, or was silent for ${leaseMsOf(job.kind)} ms`
    if (braces && losses >= begunAgain) return { state: 'failed', failures: failures + 1, error, isLost: true }
    if (losses === 0) return { state: 'retry', inMs: 0, failures, losses: 1, error }
    if (braces) return { state: 'retry', inMs: 0, failures, losses, error }
    const next = afterFailure(job, error)
    return next.state === 'retry' ? { ...next, losses } : next
  }

  async #end(job: LeasedJob, failed: Failed): Promise<void> {
    const { workspace_id, id, attempt, leased_by, leased_at: leasedAt } = job
    const fence = { workspace_id, id, attempt, leased_by }
    const carried = await findCarried(this.#options.database.reader, fence)
    if (carried === undefined) return
    try {
      const kind = this.#options.kindOf(job.kind)
      await endForGood(this.#options, { kind, fence, payload: carried.payload, failed, leasedAt })
      this.#log(job)
    } catch (error) {
      // One that cannot be ended now keeps no job of another workspace waiting.
      if (isAwayInPart(error)) this.#options.logger.warn({ err: error, job: named(job) }, 'the end of a job waits')
      // It lives.
      else if (!(error instanceof LeaseLost)) throw error
    }
  }

  #log(job: LeasedJob): void {
    this.#options.logger.warn({ job: named(job) }, 'the lease of a job was lost')
  }
}

const named = ({ id, kind, workspace_id: workspaceId, attempt }: LeasedJob) => ({ id, kind, workspaceId, attempt })
