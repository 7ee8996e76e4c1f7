import type ICAL from 'ical.js'
import { DateTime, IANAZone } from 'luxon'

/**
 * The instant of a time in a calendar. Its zone is what the file itself says of it; a name alone is an IANA zone, and a
 * time without a zone, or a day, is one of the workspace.
 */
export function instantOf(time: ICAL.Time, tzid: string | undefined, workspaceZone: string): number {
  const isLocal = time.isDate || time.zone.tzid === 'floating'
  if (!isLocal) return time.toUnixTime() * 1000
  const named = !time.isDate && tzid !== undefined && IANAZone.isValidZone(tzid) ? tzid : workspaceZone
  const { year, month, day, hour, minute, second } = time
  const clock = time.isDate ? {} : { hour, minute, second: Math.min(second, 59) }
  return DateTime.fromObject({ year, month, day, ...clock }, { zone: named }).toMillis()
}
