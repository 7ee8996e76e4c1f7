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

const orderNames = { dmy: 'day, month, year', mdy: 'month, day, year' } as const

/**
 * Writes a date, or a date and a time, in the order of ISO 8601. A text in another form stays as it is, so that
 * the server reports the fault.
 */
export function isoDate(text: string, { dates }: Notation): string {
  const [, first = '', second = '', year = '', time] = shape.exec(text) ?? []
  if (dates === undefined || year === '') return text
  if (dates === 'ymd')
    throw new CellFault(
      `"${text}" is not a date as YYYY-MM-DD; if the file has another order, set \`dates\` to dmy or mdy ` +
        '(`kontor import --dates`).',
    )
  if (year.length !== 4) throw new CellFault(`"${text}" is not a complete date; write the year with four digits.`)
  const [day, month] = dates === 'dmy' ? [first, second] : [second, first]
  if (Number(day) < 1 || Number(day) > daysOf(Number(year), Number(month)))
    throw new CellFault(`"${text}" does not exist, read as ${orderNames[dates]}.`)
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return time === undefined ? date : `${date}T${time.indexOf(':') === 1 ? '0' : ''}${time}`
}

/** Counts the days of a month from 1 to 12; 0 for any other. */
const daysOf = (year: number, month: number): number =>
  month < 1 || month > 12 ? 0 : new Date(Date.UTC(year, month, 0)).getUTCDate()

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
