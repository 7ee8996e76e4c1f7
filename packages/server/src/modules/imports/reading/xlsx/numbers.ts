import type { Cell } from '../cell.ts'
import type { NumberStyle } from './styles.ts'

const dayMs = 86_400_000

/** Days from the first of a workbook to 1970-01-01, and after the last of the year 9999. */
const daysBefore1970 = 25_569
const daysMax = 2_958_466
const daysFrom1904 = 1462

/** A day that never was, 1900-02-29, which workbooks count. */
const leapDay = 60

/** Reads the number in a cell as it is shown: dates and times in the form of ISO 8601. */
export function numberCell(text: string, style: NumberStyle, isFrom1904: boolean): Cell {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) return text
  if (typeof style === 'object')
    return Number.isInteger(value) && value >= 0 ? String(value).padStart(style.digits, '0') : value
  // Workbooks show 15 digits, and store what comes after them by chance.
  if (style === 'number') return Number(value.toPrecision(15))
  return instant(value + (isFrom1904 ? daysFrom1904 : 0), style) ?? value
}

function instant(days: number, style: Exclude<NumberStyle, object | 'number'>): string | undefined {
  if (days < 0 || days >= daysMax) return undefined
  const shift = days < leapDay ? 1 : 0
  const ms = Math.round((days + shift - daysBefore1970) * dayMs)
  const [date = '', time = ''] = new Date(ms).toISOString().replace('Z', '').replace('.000', '').split('T')
  if (style === 'time') return days < 1 ? time : `${date}T${time}`
  return style === 'date' || time === '00:00:00' ? date : `${date}T${time}`
}
