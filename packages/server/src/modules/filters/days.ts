import type { Operator } from '@kontor/contract'
import type { DateTime } from 'luxon'
import { parseDate } from '../fields/index.ts'
import { isTime, type Column } from '../objects/index.ts'
import { dayOf, instantText } from '../../lib/period.ts'

/** Tells whether the values of a column are instants. */
export const isOfInstants = (column: Column): boolean =>
  isTime(column) || (column.kind === 'field' && column.field.type.name === 'timestamp')

/** An instant in the form that a column of instants compares. */
export const comparedInstant = (column: Column, at: DateTime): string | number =>
  column.kind === 'system' ? at.toMillis() : instantText(at)

type Comparison = { readonly op: Operator; readonly value: string | number }

/**
 * The comparisons that must all hold for an instant that is compared with a bare date, which is that day in the time
 * zone of the workspace; undefined for what is no such comparison. Only `Is` needs two.
 */
export function dayComparisons(column: Column, op: Operator, given: unknown, zone: string): Comparison[] | undefined {
  const date = isOfInstants(column) ? parseDate(given) : undefined
  if (date === undefined) return undefined
  const day = dayOf(date, zone)
  const [from, until] = [comparedInstant(column, day.from), comparedInstant(column, day.until)]
  const [since, before]: [Operator, Operator] = ['Is on or after', 'Is before']
  if (op === 'Is')
    return [
      { op: since, value: from },
      { op: before, value: until },
    ]
  if (op === 'Is before') return [{ op: before, value: from }]
  if (op === 'Is on or before') return [{ op: before, value: until }]
  if (op === 'Is after') return [{ op: since, value: until }]
  return op === 'Is on or after' ? [{ op: since, value: from }] : undefined
}

/** Tells whether a text ends in a bare date or a time without a zone, perhaps behind the sign of a shorthand. */
export const mayBeLocal = (text: unknown): boolean =>
  typeof text === 'string' && /\d{4}-\d{2}-\d{2}(T[\d:.]+)?(,|$)/.test(text)
