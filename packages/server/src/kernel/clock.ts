/** The only place that reads the time; tests pass another clock. */
export type Clock = {
  /** Whole milliseconds since 1970, UTC. Jumps when the machine's clock is set. */
  readonly now: () => number
  /** Milliseconds since an arbitrary instant. Never jumps: for limits and durations. */
  readonly monotonicMs: () => number
}

/** A workspace, and the instant at which something is done there. */
export type WorkspaceNow = { readonly workspaceId: string; readonly now: number }

export const systemClock: Clock = { now: () => Date.now(), monotonicMs: () => performance.now() }

export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

const digits = (length: number, end: number): string[] =>
  Array.from({ length: end }, (_, number) => String(number).padStart(length, '0'))
const pairs = digits(2, 60)
const thousandths = digits(3, 1000)

let lastMs = Number.NaN
let lastText = ''
let lastDay = Number.NaN
let date = ''

/**
 * ISO 8601 in UTC with milliseconds, as every timestamp of an answer. A list of 50 records has a hundred of them,
 * mostly within a few days and in equal pairs: formatting each with `Date` took a tenth of the list's time.
 */
export function isoTime(ms: number): string {
  if (ms === lastMs) return lastText
  const day = Math.floor(ms / dayMs)
  if (day !== lastDay) {
    date = new Date(ms).toISOString().slice(0, -'hh:mm:ss.sssZ'.length)
    lastDay = day
  }
  const rest = ms - day * dayMs
  const seconds = Math.floor(rest / 1000)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  lastText = `${date}${pairs[hours]}:${pairs[minutes % 60]}:${pairs[seconds % 60]}.${thousandths[rest % 1000]}Z`
  lastMs = ms
  return lastText
}

export const isoTimeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms))
