import { LRUCache } from 'lru-cache'

/** Offsets of time zones change at whole quarters of an hour since then; before, some zones had odd seconds. */
const wholeQuartersSinceMs = Date.UTC(1975, 0)
const quarterMs = 15 * 60 * 1000

/**
 * Returns the function that gives the day of an instant in a time zone, as `YYYY-MM-DD`; null for a value that is no
 * instant. SQLite calls it for each record, and Postgres computes the same (`Dialect.dayIn`).
 */
export function dayFunction(): (instant: unknown, timeZone: unknown) => string | null {
  const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 100 })
  /** Days by zone and quarter of an hour. */
  const days = new LRUCache<string, string>({ max: 50_000 })
  const formatOf = (timeZone: string): Intl.DateTimeFormat => {
    let format = formats.get(timeZone)
    if (format === undefined) {
      format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
      formats.set(timeZone, format)
    }
    return format
  }
  return (instant, timeZone) => {
    const atMs = typeof instant === 'string' ? Date.parse(instant) : instant
    if (typeof atMs !== 'number' || !Number.isFinite(atMs) || typeof timeZone !== 'string') return null
    if (atMs < wholeQuartersSinceMs) return dayOf(formatOf(timeZone), atMs)
    const key = `${timeZone} ${Math.floor(atMs / quarterMs)}`
    let day = days.get(key)
    if (day === undefined) days.set(key, (day = dayOf(formatOf(timeZone), atMs)))
    return day
  }
}

function dayOf(format: Intl.DateTimeFormat, atMs: number): string {
  const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, value]))
  return `${(parts.get('year') ?? '').padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`
}
