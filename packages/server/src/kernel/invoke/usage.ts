import { defined } from '../../lib/guards.ts'

/** The transport of a call; `server` is the server itself, for the demo and the command line. */
export type Surface = 'rest' | 'trpc' | 'actions' | 'mcp' | 'server'

/** Upper bounds of the histogram buckets for durations: from a get out of memory to the statement timeout. */
export const durationBoundsMs = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000] as const

/** Calls of one operation over one transport with one status. */
export type Tally = {
  readonly surface: Surface
  readonly status: number
  /** Calls by histogram bucket; the last bucket counts those that took longer than the last bound. */
  readonly byDuration: number[]
  sumMs: number
}

/**
 * Counts the calls of one operation, their outcomes and their cost. Plain numbers, since every call pays for the
 * counting; `/metrics` reads them on demand.
 */
export class Usage {
  readonly #tallies: Record<Surface, Map<number, Tally>> = {
    rest: new Map(),
    trpc: new Map(),
    actions: new Map(),
    mcp: new Map(),
    server: new Map(),
  }
  statements = 0
  /** Time spent waiting for statements; statements that run at the same time count once. */
  statementMs = 0
  /** Time spent waiting for the writer or for a connection, before a transaction begins. */
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
    while (index < durationBoundsMs.length && ms > defined(durationBoundsMs[index])) index++
    tally.byDuration[index] = defined(tally.byDuration[index]) + 1
    tally.sumMs += ms
  }

  tallies(): Tally[] {
    return Object.values(this.#tallies).flatMap((byStatus) => [...byStatus.values()])
  }
}
