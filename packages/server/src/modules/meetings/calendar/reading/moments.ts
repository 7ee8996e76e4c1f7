import { dayMs } from '../../../../kernel/clock.ts'
import { EventFault } from './faults.ts'
import { fixedZone, instantIn, type Zone, type Zones } from './zone.ts'
import type { Property } from './lines.ts'

/** A date or a time as a calendar writes it. */
export type Moment = {
  /** The local date and time, as milliseconds since 1970 as if in UTC. */
  readonly clock: number
  readonly isDate: boolean
  /** Where the clock is; undefined of a date, and of a time that names no place. */
  readonly zone: Zone | undefined
}

const pattern = /^(\d{4})-?(\d{2})-?(\d{2})(?:T(\d{2}):?(\d{2})(?::?(\d{2}))?(Z|[+-]\d{2}:?\d{2})?)?$/i

/** Reads a date or a time (RFC 5545 §3.3.4, §3.3.5); those of ISO 8601 too, which some programs write. */
export function readMoment(text: string, tzid: string | undefined, zones: Zones, name: string): Moment {
  const found = pattern.exec(text.trim())
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (found ?? [])
    .slice(1, 7)
    .map((part) => +(part ?? 0))
  const clock = clockOf(year, month, day)
  if (found === null || !isDayOf(clock, month, day) || hour > 23 || minute > 59 || second > 60)
    throw new EventFault(`${name} must be a date or a time such as 20261231T090000Z, not "${text.slice(0, 40)}".`)
  if (found[4] === undefined) return { clock, isDate: true, zone: undefined }
  const offset = found[7]
  return {
    clock: clock + ((hour * 60 + minute) * 60 + Math.min(second, 59)) * 1000,
    isDate: false,
    zone: offset === undefined ? zones.named(tzid) : fixedZone(offset),
  }
}

/** Midnight of a day, as if in UTC. */
function clockOf(year: number, month: number, day: number): number {
  const date = new Date(0)
  // `Date.UTC` takes the years up to 99 for those of the twentieth century.
  date.setUTCFullYear(year, month - 1, day)
  return date.getTime()
}

const isDayOf = (clock: number, month: number, day: number): boolean => {
  const date = new Date(clock)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

/** The moments of a property, which may have several, and periods. */
export function readMoments(
  { parameters, value }: Property,
  zones: Zones,
  name: string,
): readonly { readonly at: Moment; readonly period: string | undefined }[] {
  const tzid = parameters.get('TZID')
  return value
    .split(',')
    .filter((text) => text.trim() !== '')
    .map((text) => {
      const [from = '', period] = text.split('/')
      return { at: readMoment(from, tzid, zones, name), period }
    })
}

/** The instant of a moment: a date begins in the zone of the workspace. */
export const instantOf = ({ clock, isDate, zone }: Moment, zones: Zones): number =>
  instantIn(isDate ? zones.workspace : (zone ?? zones.floating), clock)

/** A span of time: days follow the calendar, the rest is elapsed. */
export type Span = { readonly days: number; readonly ms: number }

const spanPattern = /^([+-])?P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/i

export function readSpan(text: string): Span {
  const found = spanPattern.exec(text.trim())
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = (found ?? []).slice(2).map((part) => +(part ?? 0))
  const span = { days: weeks * 7 + days, ms: ((hours * 60 + minutes) * 60 + seconds) * 1000 }
  if (found === null || found[1] === '-' || span.days > daysMax || span.ms > daysMax * dayMs)
    throw new EventFault(`DURATION must be a span such as PT45M, not "${text.slice(0, 40)}".`)
  return span
}

/** A meeting of ten thousand years is a mistake. */
const daysMax = 3_660_000
