/** Whole milliseconds since 1970, UTC. The only place that reads the time; tests hand in another. */
export type Clock = { readonly now: () => number }

export const systemClock: Clock = { now: () => Date.now() }

/** ISO 8601 in UTC with milliseconds, as every timestamp of an answer. */
export const isoTime = (ms: number): string => new Date(ms).toISOString()

export const isoTimeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms))
