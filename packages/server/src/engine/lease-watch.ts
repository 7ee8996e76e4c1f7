/** A lease as it is in the database: a renewal changes `leasedAt`, and another run has another `attempt`. */
export type SeenLease = {
  readonly key: string
  readonly attempt: number
  readonly leasedAt: number
  readonly leaseMs: number
}

type Watched = { readonly attempt: number; readonly leasedAt: number; readonly watchedMs: number }

/** Between two looks no more than this counts: a process that stood still has watched nothing meanwhile. */
const gapMaxMs = 2000

/**
 * Finds expired leases: those that this process has seen unchanged for longer than they last. It compares no wall
 * clocks, neither its own nor the holder's, so clocks may jump or differ and no job runs twice.
 */
export class LeaseWatch {
  #watched = new Map<string, Watched>()
  #lookedMs = 0

  /** Takes all current leases, at `nowMs` of a monotonic clock, and returns the expired ones. */
  look<L extends SeenLease>(leases: readonly L[], nowMs: number): L[] {
    const gapMs = Math.min(gapMaxMs, nowMs - this.#lookedMs)
    const watched = new Map<string, Watched>()
    const lost = leases.filter(({ key, attempt, leasedAt, leaseMs }) => {
      const before = this.#watched.get(key)
      const isSame = before?.attempt === attempt && before.leasedAt === leasedAt
      const watchedMs = isSame ? before.watchedMs + gapMs : 0
      watched.set(key, { attempt, leasedAt, watchedMs })
      return watchedMs > leaseMs
    })
    this.#watched = watched
    this.#lookedMs = nowMs
    return lost
  }
}
