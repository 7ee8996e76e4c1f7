/** Where a call came from; `server` itself, for the demo and the command line. */
export type Surface = 'rest' | 'trpc' | 'actions' | 'server'

/** Upper bounds of the classes in which durations are counted: from a get out of memory to the statement timeout. */
export const durationBoundsMs = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000] as const

/** Calls of one operation that came over one surface and ended in one status. */
export type Tally = {
  readonly surface: Surface
  readonly status: number
  /** Calls by class, the last one for what took longer than the last bound. */
  readonly byDuration: number[]
  sumMs: number
}

/**
 * What the calls of one operation have come to and have cost. Counted here in plain numbers, since a call pays for it;
 * `/metrics` reads them when somebody asks.
 */
export class Usage {
  readonly #tallies: Record<Surface, Map<number, Tally>> = {
    rest: new Map(),
    trpc: new Map(),
    actions: new Map(),
    server: new Map(),
  }
  statements = 0
  /** Waiting for statements; those that run at the same time count once. */
  statementMs = 0
  /** Waiting for the writer or for a connection, before a transaction begins. */
  waitMs = 0
  commitMs = 0

  count(surface: Surface, status: number, ms: number): void {
    const byStatus = this.#tallies[surface]
    let tally = byStatus.get(status)
    if (tally === undefined) {
      tally = { surface, status, byDuration: Array.from({ length: durationBoundsMs.length + 1 }, () => 0), sumMs: 0 }
      byStatus.set(status, tally)
    }
    let index = 0
    while (index < durationBoundsMs.length && ms > (durationBoundsMs[index] as number)) index++
    tally.byDuration[index] = (tally.byDuration[index] as number) + 1
    tally.sumMs += ms
  }

  tallies(): Tally[] {
    return Object.values(this.#tallies).flatMap((byStatus) => [...byStatus.values()])
  }
}
