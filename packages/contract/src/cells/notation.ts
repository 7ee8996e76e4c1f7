import { CellFault } from './cell-fault.ts'

/** The order of day, month and year in a file. */
export const dateOrders = ['ymd', 'dmy', 'mdy'] as const

/** The notation of items, dates and numbers in a file. */
export type Notation = {
  /** The separator of the items in one cell; empty if there is none. */
  readonly separator: string
  readonly dates?: (typeof dateOrders)[number]
  readonly decimal?: '.' | ','
}

const shape = /^(\d{1,2})[./-](\d{1,2})[./-](\d{2,4})(?:(?:,? +|T)(\d{1,2}:.*))?$/

/**
 * Writes a date, or a date and a time, in the order of ISO 8601. A text in another form stays as it is, so that
 * the server reports the fault.
 */
export function isoDate(text: string, { dates = 'ymd' }: Notation): string {
  const [, first = '', second = '', year = '', time] = shape.exec(text) ?? []
  if (dates === 'ymd' || year === '') return text
  if (year.length !== 4) throw new CellFault(`"${text}" is not a complete date; write the year with four digits.`)
  const [day, month] = dates === 'dmy' ? [first, second] : [second, first]
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return time === undefined ? date : `${date}T${time.indexOf(':') === 1 ? '0' : ''}${time}`
}

/** Digits in groups of three, or none grouped, with decimals after a comma. */
const withComma = /^[+-]?(?:\d{1,3}(?:[. '’\u00A0\u202F]\d{3})+|\d+)(?:,\d+)?$/

/** Digits in groups of three, with a decimal point or a second group: a comma before three digits may be another. */
const withPoint = /^[+-]?\d{1,3}(?:(?:[ '’\u00A0\u202F]\d{3})+(?:\.\d+)?|(?:,\d{3})+\.\d+|(?:,\d{3}){2,})$/

/** Writes a number with a decimal point and no groups. */
export function plainNumeral(text: string, { decimal = '.' }: Notation): string {
  if (decimal === '.') return withPoint.test(text) ? text.replaceAll(/[ ,'’\u00A0\u202F]/g, '') : text
  if (!withComma.test(text))
    throw new CellFault(`"${text}" is not a number; write digits, with a comma before decimals.`)
  return text.replaceAll(/[. '’\u00A0\u202F]/g, '').replace(',', '.')
}
