import type { FieldType } from './field-type.ts'
import { dateKeywords } from './keywords.ts'
import { dateOperators } from './operators.ts'
import { alike, valueShape } from './shape.ts'

const dateShape = /^\d{4}-\d{2}-\d{2}$/
const timestampShape = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/

const isCalendarDate = (text: string): boolean => {
  const ms = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}

export const parseDate = (value: unknown): string | undefined =>
  typeof value === 'string' && dateShape.test(value) && isCalendarDate(value) ? value : undefined

/** Parses ISO 8601 with a zone to UTC with milliseconds: texts of one length, so that they sort as the instants do. */
export function parseTimestamp(value: unknown): string | undefined {
  const date = typeof value === 'string' ? timestampShape.exec(value)?.[1] : undefined
  if (date === undefined || !isCalendarDate(date)) return undefined
  const ms = Date.parse(String(value))
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
  parse: (value, _field, report) =>
    parseTimestamp(value) ?? report('Must be an ISO 8601 timestamp with a zone, for example 2026-01-31T09:30:00Z.'),
  // A bare date is the day of a time zone, which is not known here: `query/days.ts`.
  parseOperand: parseTimestamp,
}
