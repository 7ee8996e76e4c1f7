import { createHash } from 'node:crypto'
import { dayMs } from '../../../../kernel/clock.ts'
import { isOneOf } from '../../../../lib/guards.ts'
import { storableText } from '../../../../lib/texts.ts'
import { normaliseEmail, thingTypes } from '../../../fields/index.ts'
import type { Participant, EventVersion } from './calendar.ts'
import { EventFault } from './faults.ts'
import { propertiesOf, propertyOf, unescaped, type Component, type Property } from './lines.ts'
import { instantOf, readMoment, readSpan, type Moment, type Span } from './moments.ts'
import { clockIn, instantIn, type Zone, type Zones } from './zone.ts'

/** One VEVENT: an event, a series, or what is different in one instance of a series. */
export type CalendarEvent = EventVersion & {
  readonly component: Component
  readonly zones: Zones
  readonly start: Moment
  /** The zone in which it recurs. */
  readonly zone: Zone
  readonly startsAt: number
  readonly length: Span
  readonly title: string
  readonly participants: readonly Participant[]
  readonly isCancelled: boolean
}

const textCharactersMax = 500
const participantsMax = 500
/** Higher numbers of versions do not fit into every database. */
const sequenceMax = 2 ** 31 - 1

export function readEvent(component: Component, zones: Zones, method: string): CalendarEvent {
  const isCancelled = isCancelledBy(component, method)
  // The start of an instance that is cancelled may be left out (RFC 5546 §3.2.5).
  const given = propertyOf(component, 'DTSTART') ?? (isCancelled ? propertyOf(component, 'RECURRENCE-ID') : undefined)
  if (given === undefined) throw new EventFault('It has no DTSTART.')
  const start = momentOf(given, zones, 'DTSTART')
  const zone = start.isDate ? zones.workspace : (start.zone ?? zones.floating)
  const startsAt = instantOf(start, zones)
  return {
    component,
    zones,
    start,
    zone,
    startsAt,
    length: lengthOf(component, start, startsAt, zones),
    title: short(unescaped(propertyOf(component, 'SUMMARY')?.value ?? '')),
    participants: participantsOf(component),
    isCancelled,
    ...versionOf(component, zones),
  }
}

export const isCancelledBy = (component: Component, method: string): boolean =>
  method === 'CANCEL' || /^CANCELL?ED$/i.test(propertyOf(component, 'STATUS')?.value.trim() ?? '')

export const momentOf = ({ parameters, value }: Property, zones: Zones, name: string): Moment =>
  readMoment(value, parameters.get('TZID'), zones, name)

/** Returns the duration: the elapsed time up to an end, or whole days of the calendar. */
function lengthOf(component: Component, start: Moment, startsAt: number, zones: Zones): Span {
  const [given, duration] = [propertyOf(component, 'DTEND'), propertyOf(component, 'DURATION')]
  if (given === undefined) {
    const span = duration === undefined ? { days: 0, ms: 0 } : readSpan(duration.value)
    return start.isDate && span.days + span.ms === 0 ? { days: 1, ms: 0 } : span
  }
  const end = momentOf(given, zones, 'DTEND')
  if (start.isDate && end.isDate) {
    if (end.clock < start.clock) throw new EventFault('It ends before it starts.')
    // Some programs write the day itself as the end of a day.
    return { days: Math.max(1, (end.clock - start.clock) / dayMs), ms: 0 }
  }
  const ms = instantOf(end, zones) - startsAt
  if (ms < 0) throw new EventFault('It ends before it starts.')
  return { days: 0, ms }
}

/** When an instance ends that starts at an instant. */
export const endOf = (zone: Zone, startsAt: number, { days, ms }: Span): number =>
  (days === 0 ? startsAt : instantIn(zone, clockIn(zone, startsAt) + days * dayMs)) + ms

export function versionOf(component: Component, zones: Zones): EventVersion {
  const sequence = Number(propertyOf(component, 'SEQUENCE')?.value ?? 0)
  return {
    sequence: Number.isInteger(sequence) ? Math.min(Math.max(sequence, 0), sequenceMax) : 0,
    stampedAt: stampOf(propertyOf(component, 'DTSTAMP'), zones),
  }
}

function stampOf(stamp: Property | undefined, zones: Zones): number | null {
  try {
    return stamp === undefined ? null : instantOf(momentOf(stamp, zones, 'DTSTAMP'), zones)
  } catch {
    return null
  }
}

/**
 * The name of an event, which the calendar need not give: then it is what the event says of itself, so that it exists
 * once.
 */
export function uidOf(component: Component): { readonly uid: string; readonly isGiven: boolean } {
  const given = storableText(unescaped(propertyOf(component, 'UID')?.value ?? '').trim())
  if (given !== '')
    return { uid: given.length > textCharactersMax ? `${given.slice(0, 400)}#${hash(given)}` : given, isGiven: true }
  const parts = ['DTSTART', 'RRULE', 'SUMMARY'].map((name) => propertyOf(component, name))
  const zone = parts[0]?.parameters.get('TZID') ?? ''
  return { uid: `#${hash(JSON.stringify([zone, ...parts.map((part) => part?.value ?? '')]))}`, isGiven: false }
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

const short = (text: string): string => storableText(text.slice(0, textCharactersMax))

function participantsOf(component: Component): Participant[] {
  const organizers = propertiesOf(component, 'ORGANIZER').map((one) => participantOf(one, true))
  const attendees = propertiesOf(component, 'ATTENDEE').map((one) => participantOf(one, false))
  return [...organizers, ...attendees].filter((one) => one !== undefined).slice(0, participantsMax)
}

export function participantOf({ parameters, value }: Property, isOrganizer: boolean): Participant | undefined {
  // A value that is no address, such as the path of a principal, has it beside it (RFC 7986 §6.2).
  const email = addressOf(value) ?? addressOf(parameters.get('EMAIL') ?? '')
  if (email === undefined) return undefined
  const [name = '', status] = ['CN', 'PARTSTAT'].map((parameter) => parameters.get(parameter))
  const type = (parameters.get('CUTYPE') ?? '').toLowerCase()
  return {
    email,
    ...(name !== '' && { name: short(name) }),
    ...(status !== undefined && { status: short(status.toLowerCase()) }),
    ...(isOrganizer && { organizer: true }),
    ...(isOneOf(thingTypes, type) && { type }),
  }
}

const addressOf = (value: string): string | undefined =>
  normaliseEmail(
    value
      .trim()
      .replace(/^mailto:/i, '')
      .replaceAll(/%40|%2B/gi, (code) => decodeURIComponent(code))
      .replace(/^\s*<(.*)>\s*$/, '$1')
      .trim(),
  )
