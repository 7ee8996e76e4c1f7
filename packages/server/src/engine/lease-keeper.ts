import { renewLeases, type JobAttempt } from './outcomes/store.ts'
import type { Deps } from './types.ts'

/** A run of a job whose lease is kept. */
export type KeptLease = JobAttempt & {
  /** Its lease counts from an instant of the monotonic clock again. */
  readonly renewed: (sentAt: number) => void
  /** Another runner has its job. */
  readonly lost: () => void
}

/** A lease of four seconds may miss two signs. */
const beatMs = 1000

const isAmong = (jobs: readonly JobAttempt[], { id, attempt }: JobAttempt): boolean =>
  jobs.some((job) => job.id === id && job.attempt === attempt)

/** Renews the leases of runs for as long as they go on and the process lives, all by one statement a second. */
export class LeaseKeeper {
  readonly #deps: Deps
  readonly #leasedBy: string
  readonly #kept = new Set<KeptLease>()
  #timer: NodeJS.Timeout | undefined
  #leasedAt = 0
  #isRenewing = false

  constructor(deps: Deps, leasedBy: string) {
    this.#deps = deps
    this.#leasedBy = leasedBy
  }

  keep(run: KeptLease): void {
    this.#kept.add(run)
    this.#timer ??= setInterval(() => void this.#renew(), beatMs)
  }

  /** Returns whether a run of this process has the job: it renews the lease, or will. */
  holds({ id, attempt }: JobAttempt): boolean {
    return [...this.#kept].some((run) => run.id === id && run.attempt === attempt)
  }

  /** Called when the run has ended. */
  release(run: KeptLease): void {
    this.#kept.delete(run)
    if (this.#kept.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async #renew(): Promise<void> {
    if (this.#isRenewing) return
    this.#isRenewing = true
    const runs = [...this.#kept]
    const sentAt = performance.now()
    // Always a different value, even after the clock was set back: other processes look for the change.
    this.#leasedAt = Math.max(this.#leasedAt + 1, this.#deps.clock.now())
    try {
      const ids = runs.map(({ id }) => id)
      const { renewed, held } = await this.#deps.database.write((tx) =>
        renewLeases(tx, this.#leasedBy, ids, this.#leasedAt),
      )
      // One that has ended meanwhile holds nothing either.
      for (const run of runs.filter((one) => this.#kept.has(one))) {
        if (isAmong(renewed, run)) run.renewed(sentAt)
        else if (!isAmong(held, run)) run.lost()
      }
    } catch (error) {
      this.#deps.logger.warn({ err: error }, 'leases of jobs were not renewed')
    } finally {
      this.#isRenewing = false
    }
  }
}

/** A lease as it is in the database: a renewal changes `leasedAt`, and another run has another `attempt`. */
type SeenLease = {
  readonly key: string
  readonly attempt: number
  readonly leasedAt: number
  readonly leaseMs: number
  /** For how long processes before this one have noted that they saw it stand. */
  readonly notedMs: number
}

type Watched = {
  readonly attempt: number
  readonly leasedAt: number
  readonly watchedMs: number
  readonly notedMs: number
  /** It was there when this process began to look: its holder may have died before. */
  readonly isFound: boolean
}

/** Between two looks no more than this counts: a process that stood still has watched nothing meanwhile. */
const gapMaxMs = 2000

/** Interval at which a lease is noted: a process that is killed loses at most this much of its observation. */
export const notedEveryMs = 250

type Look<L> = {
  readonly lost: L[]
  /** Leases that were found and still stand, with what is to be noted of them. */
  readonly toNote: { readonly lease: L; readonly watchedMs: number }[]
  /** True if any that was found still stands: then it is worth to look again very soon. */
  isAnyFound: boolean
}

/**
 * Finds expired leases: those that this process, and those that noted it before, have seen unchanged for longer than
 * they last. It compares no wall clocks, neither its own nor the holder's, so clocks may jump or differ and no job runs
 * twice. Only leases that a process finds when it begins are noted: a living holder renews them, and they are few.
 */
export class LeaseWatch {
  #watched = new Map<string, Watched>()
  #lookedMs: number | undefined

  /** Takes all current leases, at `nowMs` of a monotonic clock. */
  look<L extends SeenLease>(leases: readonly L[], nowMs: number): Look<L> {
    const isFirst = this.#lookedMs === undefined
    const gapMs = Math.min(gapMaxMs, nowMs - (this.#lookedMs ?? nowMs))
    const watched = new Map<string, Watched>()
    const found: Look<L> = { lost: [], toNote: [], isAnyFound: false }
    for (const lease of leases) {
      const { key, attempt, leasedAt, leaseMs, notedMs } = lease
      const before = this.#watched.get(key)
      const isSame = before?.attempt === attempt && before.leasedAt === leasedAt
      const now: Watched = isSame
        ? { ...before, watchedMs: before.watchedMs + gapMs }
        : { attempt, leasedAt, watchedMs: notedMs, notedMs, isFound: isFirst }
      const isLost = now.watchedMs > leaseMs
      const isNoted = !isLost && now.isFound && now.watchedMs - now.notedMs >= notedEveryMs
      if (isLost) found.lost.push(lease)
      found.isAnyFound ||= now.isFound && !isLost
      if (isNoted) found.toNote.push({ lease, watchedMs: now.watchedMs })
      watched.set(key, isNoted ? { ...now, notedMs: now.watchedMs } : now)
    }
    this.#watched = watched
    this.#lookedMs = nowMs
    return found
  }
}
