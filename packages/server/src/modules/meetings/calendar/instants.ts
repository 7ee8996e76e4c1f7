import type ICAL from 'ical.js'
import { DateTime, IANAZone } from 'luxon'
import { findIana } from 'windows-iana'

/** The zones of a calendar, for times that say none. */
export type Zones = {
  /** Of whole days. */
  readonly workspace: string
  /** Of times without a zone, or with one that is unknown. */
  readonly floating: string
}

/** The zone that a name is of, which may be one that Windows gives it; undefined of an unknown name. */
export function zoneNamed(name: unknown): string | undefined {
  const text = String(name)
  return IANAZone.isValidZone(text) ? text : findIana(text)[0]
}

/**
 * The instant of a time in a calendar. Its zone is what the file itself says of it, or else what its name is known for;
 * a time without a zone is one of the calendar, a day one of the workspace.
 */
export function instantOf(time: ICAL.Time, tzid: string | undefined, { workspace, floating }: Zones): number {
  const isLocal = time.isDate || time.zone.tzid === 'floating'
  if (!isLocal) return time.toUnixTime() * 1000
  const zone = time.isDate ? workspace : (zoneNamed(tzid) ?? floating)
  const { year, month, day, hour, minute, second } = time
  const clock = time.isDate ? {} : { hour, minute, second: Math.min(second, 59) }
  return DateTime.fromObject({ year, month, day, ...clock }, { zone }).toMillis()
}
