import { derivedId } from '../../../kernel/ids.ts'
import { keyOfInstance, originalNamed } from './instance-keys.ts'
import type { EventVersion, Occurrence, Series } from './reading/calendar.ts'
import { isOlder } from './reading/version.ts'
import type { CalendarEntry } from './store.ts'

/** A step of an import: for one occurrence, or for the meeting that an earlier import has made of it. */
export type Step =
  | { readonly kind: 'create'; readonly occurrence: Occurrence; readonly series: Series }
  | { readonly kind: 'change'; readonly occurrence: Occurrence; readonly entry: CalendarEntry; readonly series: Series }
  | { readonly kind: 'callOff'; readonly entry: CalendarEntry; readonly version: EventVersion }

export type SeriesPlan = { readonly steps: readonly Step[]; readonly skipped: number }

export const idOf = (key: string): string => derivedId('calendar', key)

/**
 * Plans what the occurrences of an event become, beside what earlier imports have made of it: afterwards the event has
 * exactly the occurrences of its newest version.
 */
export function planSeries(read: Series, known: readonly CalendarEntry[]): SeriesPlan {
  const series = { ...read, occurrences: recognised(read, known) }
  const { version, occurrences } = series
  const isCurrent = version !== null && !known.some((entry) => isOlder(version, seriesVersionOf(entry)))
  const find = finder(series, known, isCurrent)
  const steps: Step[] = []
  const met = new Set<string>()
  let skipped = 0
  const endings = endingsOf(series, isCurrent)
  for (const occurrence of occurrences) {
    const entry = find(occurrence)
    if (entry !== undefined) met.add(entry.id)
    if (entry === undefined ? isUnwanted(occurrence, version, isCurrent) : isOlder(occurrence, versionOf(entry)))
      skipped++
    else if (entry === undefined) steps.push({ kind: 'create', occurrence, series })
    else steps.push({ kind: 'change', occurrence, entry, series })
  }
  for (const entry of known) {
    const ends = met.has(entry.id) ? undefined : endings(entry)
    if (ends !== undefined && !isOlder(ends, versionOf(entry))) steps.push({ kind: 'callOff', entry, version: ends })
  }
  return { steps, skipped }
}

/** Names instances, whose series the calendar does not have, as the imports did that had it. */
function recognised({ uid, occurrences }: Series, known: readonly CalendarEntry[]): Occurrence[] {
  const originals = new Set(known.flatMap(({ original }) => original ?? []))
  const byKey = new Map<string, Occurrence>()
  for (const given of occurrences) {
    const original = given.name === null ? given.original : (originalNamed(given.name, originals) ?? given.original)
    const cancelledFrom = given.cancelledFrom === null ? null : original
    const key = original === given.original ? given.key : keyOfInstance(uid, original)
    const before = byKey.get(key)
    if (before === undefined || !isOlder(given, before)) byKey.set(key, { ...given, key, original, cancelledFrom })
  }
  return [...byKey.values()]
}

/** Returns whether an occurrence that nobody has imported stays so. */
const isUnwanted = ({ isCancelled }: Occurrence, version: EventVersion | null, isCurrent: boolean): boolean =>
  isCancelled || (version !== null && !isCurrent)

const versionOf = ({ sequence, stamped_at }: CalendarEntry): EventVersion => ({ sequence, stampedAt: stamped_at })

const seriesVersionOf = ({ series_sequence, series_stamped_at }: CalendarEntry): EventVersion => ({
  sequence: series_sequence ?? 0,
  stampedAt: series_stamped_at,
})

/** Tells the version that ends an occurrence which the calendar does not name; undefined where none does. */
function endingsOf(series: Series, isCurrent: boolean): (entry: CalendarEntry) => EventVersion | undefined {
  const cuts = series.occurrences.filter(({ cancelledFrom }) => cancelledFrom !== null)
  const kept: ReadonlySet<number | null> = new Set(series.kept)
  const alone = idOf(series.uid)
  return ({ id, original, called_off_at }) => {
    if (called_off_at !== null) return undefined
    const since = cuts.find(({ cancelledFrom }) => (original ?? 0) >= (cancelledFrom ?? Infinity))
    if (since !== undefined) return since
    if (!isCurrent || series.version === null) return undefined
    const isRead = original === null || (original >= series.from && original <= series.to)
    return (id === alone || isRead) && !kept.has(original) ? series.version : undefined
  }
}

/**
 * Finds what an occurrence has become before. An event that begins to recur, or recurs no more, stays the one that it
 * was, as does a whole day when the workspace has another time zone.
 */
function finder(series: Series, known: readonly CalendarEntry[], isCurrent: boolean) {
  const byId = new Map(known.map((entry) => [entry.id, entry]))
  const named = new Set(series.occurrences.map(({ key }) => idOf(key)))
  const others = isCurrent ? known.filter(({ id }) => !named.has(id)) : []
  const byOriginal = new Map(others.map((entry) => [entry.original, entry]))
  const alone = others.find(({ id }) => id === idOf(series.uid))
  const first = series.occurrences.find(({ isCancelled }) => !isCancelled)
  const isTaken = new Set<string>()
  const adopted = ({ original, startsAt, isAllDay }: Occurrence): CalendarEntry | undefined =>
    byOriginal.get(original) ?? (isAllDay ? byOriginal.get(startsAt) : undefined)
  const heir =
    series.isRecurring && alone !== undefined
      ? (series.occurrences.find((one) => adopted(one) === alone) ?? first)
      : undefined
  return (occurrence: Occurrence): CalendarEntry | undefined => {
    const found = byId.get(idOf(occurrence.key)) ?? adopted(occurrence) ?? (occurrence === heir ? alone : undefined)
    if (found === undefined || isTaken.has(found.id)) return undefined
    isTaken.add(found.id)
    return found
  }
}
