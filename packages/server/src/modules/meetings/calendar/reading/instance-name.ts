import { dayMs } from '../../../../kernel/clock.ts'
import type { InstanceName } from './calendar.ts'
import { instantOf, type Moment } from './moments.ts'
import { clockIn, instantIn, type Zones } from './zone.ts'

/**
 * Returns the forms of a RECURRENCE-ID whose series the calendar does not have. `start` is that of the instance, whose
 * zone a time without one is in.
 */
export function nameOf(recurrence: Moment, start: Moment | undefined, zones: Zones): InstanceName {
  const { clock, isDate, zone } = recurrence
  const home = start?.zone ?? zones.floating
  if (isDate) {
    const isTimed = start !== undefined && !start.isDate
    return {
      originals: [clock, instantOf(recurrence, zones)],
      day: isTimed ? [instantIn(home, clock), instantIn(home, clock + dayMs)] : null,
    }
  }
  const instants =
    zone === undefined ? [instantIn(home, clock), instantIn(zones.floating, clock)] : [instantIn(zone, clock)]
  const days = [clock, ...instants.map((instant) => clockIn(zones.workspace, instant))]
  if (start?.isDate === true) return { originals: [...days.map(dayOf), ...instants], day: null }
  // At midnight it may be a whole day that has become a meeting at some time.
  return { originals: [...instants, ...days.filter((day) => day === dayOf(day))], day: null }
}

const dayOf = (clock: number): number => Math.floor(clock / dayMs) * dayMs
