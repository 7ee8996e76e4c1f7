/** A part of the walk, by which responses are counted. */
export type Phase =
  | 'calm'
  | 'rolling'
  | 'upgrade'
  | 'faults'
  | 'fail-over'
  | 'node goes'
  | 'node killed'
  | 'rolling without node'
  | 'node hangs'
  | 'node returns'
  | 'after'

/** A status, or `none` for a connection that ended without a response. */
export type Status = number | 'none'

/** Responses to the requests that began in one phase and ended in the same or in a later one. */
export type Counted = {
  readonly began: Phase
  readonly ended: Phase
  /** Number of responses with each status. */
  readonly statuses: Map<Status, number>
  /** Texts of the responses with 503. */
  readonly refusals: Set<string>
  /** Time of the slowest response, in milliseconds. */
  slowestMs: number
}

/** Counts responses by the phase in which their requests began and the one in which they ended. */
export class Responses {
  readonly #counted = new Map<string, Counted>()

  /** Counts one response, after `ms`, and returns those that it was counted with. */
  count(began: Phase, ended: Phase, status: Status, ms: number): Counted {
    const name = `${began} to ${ended}`
    const empty = (): Counted => ({ began, ended, statuses: new Map(), refusals: new Set(), slowestMs: 0 })
    const counted = this.#counted.get(name) ?? empty()
    this.#counted.set(name, counted)
    counted.statuses.set(status, (counted.statuses.get(status) ?? 0) + 1)
    counted.slowestMs = Math.max(counted.slowestMs, ms)
    return counted
  }

  all(): Counted[] {
    return [...this.#counted.values()]
  }
}
