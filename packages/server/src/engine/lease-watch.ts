/** A lease as it stands in the database: whoever renews it changes `leasedAt`, and another run has another `attempt`. */
export type SeenLease = {
  readonly key: string
  readonly attempt: number
  readonly leasedAt: number
  readonly leaseMs: number
}

type Since = { readonly attempt: number; readonly leasedAt: number; readonly sinceMs: number }

/**
 * Finds leases that nobody renews any more: those that have stood unchanged before our eyes for longer than they hold. No
 * clock of day is asked, neither ours nor that of the holder, so clocks may jump or differ and nothing runs twice.
 */
export class LeaseWatch {
  #seen = new Map<string, Since>()

  /** Takes all leases of the moment, at `nowMs` of a clock that only goes forward; those that are lost. */
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
