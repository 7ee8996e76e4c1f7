import { dayMs } from '../../../kernel/clock.ts'
import type { Calendar, InstanceName, Rejected, Reply, Series } from './reading/calendar.ts'
import { momentOf, participantOf, uidOf, versionOf } from './reading/event.ts'
import { CalendarBudget, CalendarFault, EventFault } from './reading/faults.ts'
import type { Window } from './reading/instances.ts'
import { propertiesOf, propertyOf, readComponents, type Component, type Property } from './reading/lines.ts'
import { nameOf } from './reading/instance-name.ts'
import { readSeries, type Source } from './reading/series.ts'
import { World, zonesOf } from './reading/zones.ts'
import type { Zones } from './reading/zone.ts'

export type { Calendar, Occurrence, Reply, Series } from './reading/calendar.ts'
export { CalendarFault }

export type CalendarSetting = { readonly now: number; readonly timeZone: string }

/** Of what recurs, the occurrences are read that begin no longer ago than this, and no later from now. */
const pastMs = 90 * dayMs
const futureMs = 365 * dayMs

/** Occurrences that are read of one calendar, and the steps that its rules may take to them. */
const entriesMax = 10_000
const stepsMax = 6_000_000

/** Methods that say what is (RFC 5546 §1.4); without one a calendar is published. */
const changing = new Set(['', 'PUBLISH', 'REQUEST', 'ADD', 'CANCEL'])

/** Reads the events of an iCalendar file (RFC 5545), with each occurrence of those that recur. */
export function readCalendar(text: string, { now, timeZone }: CalendarSetting): Calendar {
  const roots = readComponents(text).filter(({ name }) => name === 'VCALENDAR')
  if (roots.length === 0) throw new CalendarFault('It is not an iCalendar file: BEGIN:VCALENDAR is missing.')
  if (!roots.every(({ isClosed }) => isClosed)) throw new CalendarFault('It is incomplete: END:VCALENDAR is missing.')
  const window: Window = { from: now - pastMs, to: now + futureMs }
  const budget = new CalendarBudget(stepsMax)
  const world = new World()
  const rejected: Rejected[] = []
  const report = (component: Component, { message }: EventFault) => {
    const { uid, isGiven } = uidOf(component)
    rejected.push({ uid: isGiven ? uid : null, line: component.line, detail: message })
  }
  const replies: Reply[] = []
  const byUid = new Map<string, { readonly isGiven: boolean; readonly sources: Source[] }>()
  let ignored = 0
  for (const root of roots) {
    const zones = zonesOf(root, timeZone, world, budget)
    const method = propertyOf(root, 'METHOD')?.value.trim().toUpperCase() ?? ''
    for (const component of root.components.filter(({ name }) => name === 'VEVENT')) {
      const { uid, isGiven } = uidOf(component)
      if (method === 'REPLY') replies.push(...repliesOf(component, zones, uid))
      else if (!changing.has(method)) ignored++
      else {
        const known = byUid.get(uid)
        const source = { component, zones, method }
        if (known === undefined) byUid.set(uid, { isGiven, sources: [source] })
        else known.sources.push(source)
      }
    }
  }
  const series: Series[] = []
  let entries = 0
  for (const [uid, { isGiven, sources }] of byUid) {
    const read = readSeries({ uid, isGiven }, sources, { window, budget, report })
    if (read === undefined) continue
    series.push(read)
    entries += read.occurrences.length
    if (entries > entriesMax) throw new CalendarFault(`It has more than ${entriesMax} events.`)
  }
  return { series, replies, rejected, ignored }
}

function repliesOf(component: Component, zones: Zones, uid: string): Reply[] {
  const recurrence = propertyOf(component, 'RECURRENCE-ID')
  const { sequence } = versionOf(component, zones)
  const name = recurrence === undefined ? null : nameIn(component, recurrence, zones)
  return propertiesOf(component, 'ATTENDEE').flatMap((attendee): Reply[] => {
    const { email, status } = participantOf(attendee, false) ?? {}
    return email === undefined || status === undefined ? [] : [{ uid, name, sequence, email, status }]
  })
}

function nameIn(component: Component, recurrence: Property, zones: Zones): InstanceName {
  try {
    const start = propertyOf(component, 'DTSTART')
    const at = momentOf(recurrence, zones, 'RECURRENCE-ID')
    return nameOf(at, start && momentOf(start, zones, 'DTSTART'), zones)
  } catch (error) {
    if (error instanceof EventFault) return { originals: [], day: null }
    throw error
  }
}
