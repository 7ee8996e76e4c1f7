/** A lease as it is in the database: a renewal changes `leasedAt`, and another run has another `attempt`. */
export type SeenLease = {
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

export type Look<L> = {
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
