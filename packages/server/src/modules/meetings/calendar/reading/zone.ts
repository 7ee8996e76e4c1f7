import { IANAZone } from 'luxon'
import { dayMs } from '../../../../kernel/clock.ts'

/** A place where clocks show the same: how far its clock is ahead of UTC at an instant, in milliseconds. */
export type Zone = { readonly offsetAt: (instant: number) => number }

/** The zones of one calendar. */
export type Zones = {
  /** Of whole days. */
  readonly workspace: Zone
  /** Of times without a zone, or with one that is unknown. */
  readonly floating: Zone
  /** The zone of a name; undefined without one, and of an unknown name. */
  readonly named: (tzid: string | undefined) => Zone | undefined
}

/**
 * The instant at which a clock shows a time. Of a time that comes twice it is the first, and one that does not come is
 * read as before the change (RFC 5545 §3.3.5).
 */
export function instantIn({ offsetAt }: Zone, clock: number): number {
  const before = offsetAt(clock - dayMs)
  if (offsetAt(clock - before) === before) return clock - before
  const after = offsetAt(clock + dayMs)
  return offsetAt(clock - after) === after ? clock - after : clock - before
}

export const clockIn = ({ offsetAt }: Zone, instant: number): number => instant + offsetAt(instant)

export const utc: Zone = { offsetAt: () => 0 }

/** `Z`, or an offset such as `+02:00`. */
export function fixedZone(text: string): Zone {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d{1,2}):?(\d{2})?$/.exec(text) ?? []
  if (sign === undefined) return utc
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
  return { offsetAt: () => offset }
}

/** A zone of the tz database. What it says of a day is asked once, where the day has one offset. */
export function ianaZone(name: string): Zone {
  const zone = IANAZone.create(name)
  const offsetAt = (instant: number) => Math.round(zone.offset(instant) * 60_000)
  const midnights = new Map<number, number>()
  const atMidnight = (day: number): number => {
    const known = midnights.get(day)
    if (known !== undefined) return known
    const offset = offsetAt(day * dayMs)
    midnights.set(day, offset)
    return offset
  }
  return {
    offsetAt(instant) {
      const day = Math.floor(instant / dayMs)
      const offset = atMidnight(day)
      return offset === atMidnight(day + 1) ? offset : offsetAt(instant)
    },
  }
}
