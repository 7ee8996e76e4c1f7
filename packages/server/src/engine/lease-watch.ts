/** A lease as it is in the database: a renewal changes `leasedAt`, and another run has another `attempt`. */
export type SeenLease = {
  readonly key: string
  readonly attempt: number
  readonly leasedAt: number
  readonly leaseMs: number
}

type Since = { readonly attempt: number; readonly leasedAt: number; readonly sinceMs: number }

/**
 * Finds expired leases: those that this process has seen unchanged for longer than they last. It compares no wall
 * clocks, neither its own nor the holder's, so clocks may jump or differ and no job runs twice.
 */
export class LeaseWatch {
  #seen = new Map<string, Since>()

  /** Takes all current leases, at `nowMs` of a monotonic clock, and returns the expired ones. */
  look<L extends SeenLease>(leases: readonly L[], nowMs: number): L[] {
    const seen = new Map<string, Since>()
    const lost = leases.filter(({ key, attempt, leasedAt, leaseMs }) => {
      const before = this.#seen.get(key)
      const since =
        before?.attempt === attempt && before.leasedAt === leasedAt ? before : { attempt, leasedAt, sinceMs: nowMs }
      seen.set(key, since)
      return nowMs - since.sinceMs > leaseMs
    })
    this.#seen = seen
    return lost
  }
}
