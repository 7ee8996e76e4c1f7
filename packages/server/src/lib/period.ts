import { DateTime, type DateTimeUnit, type DurationLikeObject } from 'luxon'
import { isNameIn, isOneOf } from './guards.ts'

/**
 * A period of time. A named period ends just before `until`; a span, which begins or ends now, includes both its ends.
 */
export type Period = { readonly from: DateTime; readonly until: DateTime; readonly isSpan: boolean }

const units = ['day', 'week', 'month', 'quarter', 'year'] as const satisfies readonly DateTimeUnit[]
const shifts = { last: -1, this: 0, next: 1 } as const
const days = { yesterday: -1, today: 0, tomorrow: 1 } as const
const spanUnits = { h: 'hours', d: 'days', w: 'weeks', m: 'months', q: 'quarters', y: 'years' } as const

/** Eleven thousand years in each unit: longer spans end with the calendar as well, and leave the range of instants. */
const spanMax = { h: 96_500_000, d: 4_020_000, w: 574_000, m: 132_000, q: 44_000, y: 11_000 } as const

/** Values that `Within` accepts, for error texts. */
export const periodNames = [
  ...Object.keys(days),
  ...units.flatMap((unit) => Object.keys(shifts).map((shift) => `${shift}_${unit}`)),
  '-30d',
  '+2w',
]

/**
 * Parses a period by name (`today`, `last_quarter`) or by its distance from now (`-30d`, `+2w`); weeks begin on Monday,
 * quarters and years as many months after January as the fiscal year does.
 */
export function parsePeriod(text: string, nowMs: number, zone: string, fiscalOffset = 0): Period | undefined {
  const now = DateTime.fromMillis(nowMs, { zone })
  if (isNameIn(days, text)) return whole(now.plus({ days: days[text] }), 'day')
  const [shift, unit] = text.split('_')
  if (text.split('_').length === 2 && isNameIn(shifts, shift) && isOneOf(units, unit))
    return fiscal(now, shifts[shift], unit, unit === 'quarter' || unit === 'year' ? fiscalOffset : 0)
  const [, sign, count, letter] = /^([+-])(\d+)([hdwmqy])$/.exec(text) ?? []
  if (!isNameIn(spanUnits, letter)) return undefined
  const away = now.plus(duration(spanUnits[letter], Math.min(Number(count), spanMax[letter]) * (sign === '-' ? -1 : 1)))
  return { ...(sign === '-' ? { from: away, until: now } : { from: now, until: away }), isSpan: true }
}

/** The day of a date in a zone. */
export const dayOf = (date: string, zone: string): Period => whole(DateTime.fromISO(`${date}T12:00`, { zone }), 'day')

/** An instant as a text, in UTC; what lies beyond the years of four digits is at their end. */
export function instantText(at: DateTime): string {
  const utc = at.toUTC()
  if (utc.year > 9999) return '9999-12-31T24:00:00.000Z'
  return utc.year < 0 ? '0000-01-01T00:00:00.000Z' : (utc.toISO() ?? '')
}

/** The date of an instant in its zone, within the same years. */
export function dateText(at: DateTime): string {
  if (at.year > 9999) return '9999-12-31'
  return at.year < 0 ? '0000-01-01' : (at.toISODate() ?? '')
}

/** A day need not begin at midnight, where clocks go forward then; the next one does all the same. */
const whole = (at: DateTime, unit: DateTimeUnit): Period => {
  const from = at.startOf(unit)
  return { from, until: from.plus(duration(`${unit}s`, 1)).startOf(unit), isSpan: false }
}

/** A period of a year that begins some months later. */
function fiscal(now: DateTime, shift: number, unit: (typeof units)[number], months: number): Period {
  const { from } = whole(
    now
      .startOf('day')
      .minus({ months })
      .plus(duration(`${unit}s`, shift)),
    unit,
  )
  const begin = from.plus({ months })
  return {
    from: begin,
    until: begin.plus(duration(`${unit}s`, 1)).startOf(months === 0 ? unit : 'month'),
    isSpan: false,
  }
}

const duration = (unit: string, count: number): DurationLikeObject => ({ [unit]: count })
