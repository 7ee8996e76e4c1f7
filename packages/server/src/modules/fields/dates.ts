import { DateTime } from 'luxon'
import type { FieldType } from './field-type.ts'
import { dateKeywords } from './keywords.ts'
import { dateOperators } from './operators.ts'
import { alike, valueShape } from './shape.ts'

const dateShape = /^\d{4}-\d{2}-\d{2}$/
const timestampShape = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/

const isCalendarDate = (text: string): boolean => {
  const ms = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}

export const parseDate = (value: unknown): string | undefined =>
  typeof value === 'string' && dateShape.test(value) && isCalendarDate(value) ? value : undefined

/** Returns whether a text is a time that names no zone. */
export const isZoneless = (value: unknown): boolean =>
  typeof value === 'string' && timestampShape.test(value) && timestampShape.exec(value)?.[2] === undefined

/**
 * Parses ISO 8601 to UTC with milliseconds: texts of one length, so that they sort as the instants do. A time without a
 * zone is one of the given zone; without that it is none.
 */
export function parseTimestamp(value: unknown, timeZone?: string): string | undefined {
  const [text = '', date, offset] = (typeof value === 'string' ? timestampShape.exec(value) : undefined) ?? []
  if (date === undefined || !isCalendarDate(date) || (offset ?? timeZone) === undefined) return undefined
  const ms =
    offset === undefined
      ? DateTime.fromISO(text, { zone: timeZone }).toMillis()
      : Date.parse(text.replace(/([+-]\d{2}):?(\d{2})$/, '$1:$2'))
  const iso = Number.isNaN(ms) ? '' : new Date(ms).toISOString()
  return iso.length === 24 ? iso : undefined
}

export const date: FieldType = {
  name: 'date',
  comparedAs: 'text',
  exact: true,
  jsonTypes: ['string'],
  keywords: dateKeywords,
  path: [],
  operators: dateOperators,
  indexes: ['text'],
  empty: null,
  shape: ({ schema }) => alike(valueShape('string', { ...schema, format: 'date' })),
  parse: (value, _field, report) => parseDate(value) ?? report('Must be a date as YYYY-MM-DD.'),
  parseOperand: parseDate,
}

export const timestamp: FieldType = {
  ...date,
  name: 'timestamp',
  shape: ({ schema }) => alike(valueShape('string', { ...schema, format: 'date-time' })),
  parse: (value, _field, report, { timeZone }) =>
    parseTimestamp(value, timeZone) ??
    report('Must be an ISO 8601 timestamp with a zone, for example 2026-01-31T09:30:00Z.'),
  // A bare date is the day of a time zone, which is not known here: `filters/days.ts`.
  parseOperand: (value, _field, timeZone) => parseTimestamp(value, timeZone),
}
