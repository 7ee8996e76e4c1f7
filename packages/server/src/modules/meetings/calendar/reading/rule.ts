import { EventFault } from './faults.ts'
import { readMoment, type Moment } from './moments.ts'
import type { Zones } from './zone.ts'

const frequencies = ['SECONDLY', 'MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const

/** A weekday, 0 for Sunday, and which one of its month or year; 0 is every one. */
type WeekdayOf = { readonly weekday: number; readonly nth: number }

/** A recurrence rule (RFC 5545 §3.3.10). */
export type Rule = {
  readonly frequency: (typeof frequencies)[number]
  readonly interval: number
  readonly count: number | undefined
  readonly until: Moment | undefined
  readonly weekStart: number
  readonly seconds: readonly number[] | undefined
  readonly minutes: readonly number[] | undefined
  readonly hours: readonly number[] | undefined
  readonly weekdays: readonly WeekdayOf[] | undefined
  readonly monthDays: readonly number[] | undefined
  readonly yearDays: readonly number[] | undefined
  readonly weeks: readonly number[] | undefined
  readonly months: readonly number[] | undefined
  readonly positions: readonly number[] | undefined
}

const weekdayNames = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']

const refuse = (part: string): EventFault =>
  new EventFault(`RRULE has a part that cannot be read: "${part.slice(0, 60)}".`)

/** Reads a rule; a time in it without a zone is one of the event. */
export function readRule(text: string, zones: Zones): Rule {
  const parts = new Map<string, string>()
  for (const part of text.trim().split(';')) {
    const [name = '', value] = part.split('=')
    if (value !== undefined) parts.set(name.trim().toUpperCase(), value.trim().toUpperCase())
    else if (name.trim() !== '') throw refuse(part)
  }
  const frequency = frequencies.find((one) => one === parts.get('FREQ'))
  const until = parts.get('UNTIL')
  if (frequency === undefined) throw refuse(`FREQ=${parts.get('FREQ') ?? ''}`)
  if (!['GREGORIAN', undefined].includes(parts.get('RSCALE'))) throw refuse(`RSCALE=${parts.get('RSCALE')}`)
  const numbers = (name: string, least: number, most: number) => numbersOf(name, parts.get(name), least, most)
  const weekStart = weekdayNames.indexOf(parts.get('WKST') ?? 'MO')
  return {
    frequency,
    interval: numbers('INTERVAL', 1, 1_000_000_000)?.[0] ?? 1,
    count: numbers('COUNT', 1, 1_000_000_000)?.[0],
    until: until === undefined ? undefined : readMoment(until, undefined, zones, 'UNTIL'),
    weekStart: weekStart === -1 ? 1 : weekStart,
    seconds: numbers('BYSECOND', 0, 60)?.map((second) => Math.min(second, 59)),
    minutes: numbers('BYMINUTE', 0, 59),
    hours: numbers('BYHOUR', 0, 23),
    weekdays: weekdaysOf(parts.get('BYDAY')),
    monthDays: numbers('BYMONTHDAY', -31, 31),
    yearDays: numbers('BYYEARDAY', -366, 366),
    weeks: numbers('BYWEEKNO', -53, 53),
    months: numbers('BYMONTH', 1, 12),
    positions: numbers('BYSETPOS', -366, 366),
  }
}

function numbersOf(name: string, text: string | undefined, least: number, most: number): number[] | undefined {
  if (text === undefined || text === '') return undefined
  const numbers = text.split(',').map((one) => (/^[+-]?\d+$/.test(one.trim()) ? Number(one) : Number.NaN))
  if (!numbers.every((one) => one >= least && one <= most && (one !== 0 || least === 0)))
    throw refuse(`${name}=${text}`)
  return [...new Set(numbers)].toSorted((one, other) => one - other)
}

function weekdaysOf(text: string | undefined): WeekdayOf[] | undefined {
  if (text === undefined || text === '') return undefined
  const found = new Map<string, WeekdayOf>()
  for (const one of text.split(',')) {
    const [, nth = '0', name = ''] = /^([+-]?\d{1,2})?([A-Z]{2})$/.exec(one.trim()) ?? []
    const weekday = weekdayNames.indexOf(name)
    if (weekday === -1 || Math.abs(Number(nth)) > 53) throw refuse(`BYDAY=${one}`)
    found.set(`${Number(nth)}${name}`, { weekday, nth: Number(nth) })
  }
  return [...found.values()]
}
