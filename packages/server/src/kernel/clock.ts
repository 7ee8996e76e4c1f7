/** The only place that reads the time; tests hand in another. */
export type Clock = {
  /** Whole milliseconds since 1970, UTC. Jumps when somebody sets the machine's clock. */
  readonly now: () => number
  /** Milliseconds since some instant. Never jumps: for limits, and for how long something takes. */
  readonly monotonicMs: () => number
}

export const systemClock: Clock = { now: () => Date.now(), monotonicMs: () => performance.now() }

/** ISO 8601 in UTC with milliseconds, as every timestamp of an answer. */
export const isoTime = (ms: number): string => new Date(ms).toISOString()

export const isoTimeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms))
