import { DateTime } from 'luxon'

const dateShape = /^\d{4}-\d{2}-\d{2}$/
const timeShape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/

/** A time that a text tells: a day, or an instant. */
export type Time = { readonly date: string } | { readonly at: DateTime }

/**
 * Reads a date, or a time of ISO 8601 with or without seconds. One without a zone is read in the given zone; of one
 * that clocks show twice it is the first. Undefined for anything else.
 */
export function readTime(text: string, zone: string): Time | undefined {
  const trimmed = text.trim()
  const [isTime, offset] = timeShape.exec(trimmed) ?? []
  if (isTime === undefined && !dateShape.test(trimmed)) return undefined
  const time = DateTime.fromISO(trimmed, { zone })
  if (!time.isValid) return undefined
  if (isTime === undefined) return { date: trimmed }
  return { at: offset === undefined ? firstOf(time) : time }
}

/** The first instant at which clocks show a time: which of two Luxon takes depends on when it is asked. */
export const firstOf = (shown: DateTime): DateTime =>
  shown.getPossibleOffsets().reduce((first, possible) => (possible < first ? possible : first))

/** The instant that a text tells, one without a zone in the given one; any other text as it is. */
export function instantIn(text: string, zone: string): string {
  const time = readTime(text, zone)
  return time !== undefined && 'at' in time ? (time.at.toUTC().toISO() ?? text) : text
}
