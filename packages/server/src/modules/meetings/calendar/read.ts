import ICAL from 'ical.js'
import { dayMs } from '../../../kernel/clock.ts'
import { isList, isOneOf, isString, memberOf } from '../../../lib/guards.ts'
import { invariant } from '../../../lib/invariant.ts'
import { storableText } from '../../../lib/storable-text.ts'
import { normaliseEmail, thingTypes } from '../../fields/index.ts'
import { instantOf, zoneNamed, type Zones } from './instants.ts'

type Participant = {
  readonly email: string
  readonly name?: string
  readonly status?: string
  readonly organizer?: boolean
  /** What it is, where it is no person: `room`, `resource`, `group`. */
  readonly type?: string
}

/** One occurrence of an event. */
export type Occurrence = {
  /** The same each time that the calendar is read. */
  readonly key: string
  readonly uid: string
  readonly title: string
  readonly startsAt: number
  readonly endsAt: number
  readonly isAllDay: boolean
  readonly participants: readonly Participant[]
  readonly isCancelled: boolean
  /** Of two versions the one with the higher number counts, then the one that was written later (RFC 5546 §2.1.5). */
  readonly sequence: number
  readonly stampedAt: number | null
}

/** What is wrong with a calendar, for its sender. */
export class CalendarFault extends Error {
  override readonly name = 'CalendarFault'
}

/** Occurrences that are read of one calendar, and the steps that its rules may take to them. */
const entriesMax = 10_000
const stepsMax = 100_000

/** Of what recurs, the occurrences are read that begin no longer ago than this, and no later from now. */
const pastMs = 90 * dayMs
const futureMs = 365 * dayMs

/** Years of four digits, which is what the times of records have. */
const earliest = Date.parse('0000-01-01T00:00:00Z')
const latest = Date.parse('9999-12-31T23:59:59Z')

/** Higher numbers of versions do not fit into every database. */
const sequenceMax = 2 ** 31 - 1

const textCharactersMax = 500
const participantsMax = 500

export type Reading = { readonly now: number; readonly timeZone: string }

/**
 * Reads the events of an iCalendar file (RFC 5545), with each occurrence of those that recur. A rule may search for ever
 * for a day that there is not (February 30): only a process of the pool may call it.
 */
export function readCalendar(text: string, reading: Reading): Occurrence[] {
  try {
    const found = new Series(reading)
    for (const root of rootsOf(text)) found.add(root)
    return found.entries
  } catch (error) {
    if (error instanceof CalendarFault) throw error
    throw new CalendarFault(`It is no iCalendar file: ${String(memberOf(error, 'message')).slice(0, 200)}`)
  }
}

function rootsOf(text: string): ICAL.Component[] {
  const parsed: unknown = ICAL.parse(text)
  const several = isList(parsed) ? parsed : []
  const roots = isString(several[0]) ? [several] : several
  return roots.map((root) => new ICAL.Component(isList(root) ? [...root] : []))
}

/** The events of a calendar; one that recurs is a series, with the occurrences that differ from its rule. */
class Series {
  readonly entries: Occurrence[] = []
  readonly #now: number
  #zones: Zones
  #steps = 0

  constructor({ now, timeZone }: Reading) {
    this.#now = now
    this.#zones = { workspace: timeZone, floating: timeZone }
  }

  add(root: ICAL.Component): void {
    const { workspace } = this.#zones
    this.#zones = { workspace, floating: zoneNamed(root.getFirstPropertyValue('x-wr-timezone')) ?? workspace }
    const byUid = Map.groupBy(root.getAllSubcomponents('vevent'), (one) => String(one.getFirstPropertyValue('uid')))
    for (const [uid, components] of byUid) {
      const events = components.map((one) => new ICAL.Event(one, { strictExceptions: true, exceptions: [] }))
      const exceptions = events.filter((event) => event.isRecurrenceException())
      const masters = events.filter((event) => !event.isRecurrenceException())
      const master = masters.at(-1)
      if (master === undefined) for (const event of exceptions) this.#push(uid, event, event.startDate, event.endDate)
      else if (master.isRecurring()) this.#addOccurrences(uid, master, exceptions)
      else this.#push(uid, master, master.startDate, master.endDate)
    }
  }

  #addOccurrences(uid: string, master: ICAL.Event, exceptions: readonly ICAL.Event[]): void {
    for (const exception of exceptions) master.relateException(exception)
    const zone = zoneOf(master)
    this.#addLeftOut(uid, master)
    const occurrences = master.iterator()
    for (let next = occurrences.next(); next; next = occurrences.next()) {
      if (++this.#steps > stepsMax) throw new CalendarFault(`Its rules take more than ${stepsMax} steps.`)
      const at = instantOf(next, zone, this.#zones)
      if (at > this.#now + futureMs) break
      if (at < this.#now - pastMs) continue
      this.#push(uid, ...occurrenceOf(master, next), `/${new Date(at).toISOString()}`)
    }
  }

  /** Occurrences that the rule leaves out: who has imported them before is told so. */
  #addLeftOut(uid: string, master: ICAL.Event): void {
    for (const property of master.component.getAllProperties('exdate')) {
      const zone: unknown = property.getParameter('tzid')
      for (const time of property.getValues()) {
        if (!(time instanceof ICAL.Time)) continue
        const at = instantOf(time, isString(zone) ? zone : undefined, this.#zones)
        if (!(at >= this.#now - pastMs && at <= this.#now + futureMs)) continue
        this.#push(uid, master, time, time, `/${new Date(at).toISOString()}`, true)
      }
    }
  }

  #push(uid: string, event: ICAL.Event, start: ICAL.Time, end: ICAL.Time, occurrence = '', isLeftOut = false): void {
    if (this.entries.length === entriesMax) throw new CalendarFault(`It has more than ${entriesMax} events.`)
    const zone = zoneOf(event)
    const recurrence: ICAL.Time | null = event.recurrenceId
    const isAlone = occurrence === '' && recurrence !== null
    const [startsAt, endsAt] = [instantOf(start, zone, this.#zones), instantOf(end, zone, this.#zones)]
    if (!(startsAt >= earliest && endsAt <= latest))
      throw new CalendarFault('It has an event at no time that there is.')
    const place = isAlone ? `/${new Date(instantOf(recurrence, zone, this.#zones)).toISOString()}` : occurrence
    this.entries.push({
      key: `${uid}${place}`,
      uid: short(uid),
      title: short(event.summary ?? ''),
      startsAt,
      endsAt,
      isAllDay: start.isDate,
      participants: participantsOf(event),
      isCancelled: isLeftOut || event.component.getFirstPropertyValue('status') === 'CANCELLED',
      ...versionOf(event),
    })
  }
}

/** The event that an occurrence is, perhaps one of its own, its start and its end: the library has no types for it. */
function occurrenceOf(master: ICAL.Event, at: ICAL.Time): [ICAL.Event, ICAL.Time, ICAL.Time] {
  const found: unknown = master.getOccurrenceDetails(at)
  const [item, start, end] = ['item', 'startDate', 'endDate'].map((name) => memberOf(found, name))
  invariant(item instanceof ICAL.Event && start instanceof ICAL.Time && end instanceof ICAL.Time, 'it occurs')
  return [item, start, end]
}

function versionOf({ component }: ICAL.Event): Pick<Occurrence, 'sequence' | 'stampedAt'> {
  const [sequence, stamp] = ['sequence', 'dtstamp'].map((name) => component.getFirstPropertyValue(name))
  return {
    sequence: Number.isInteger(sequence) ? Math.min(Math.max(Number(sequence), 0), sequenceMax) : 0,
    stampedAt: stamp instanceof ICAL.Time ? stamp.toUnixTime() * 1000 : null,
  }
}

/** The name of the zone in which an event begins, which the file need not define. */
function zoneOf({ component }: ICAL.Event): string | undefined {
  const tzid: unknown = component.getFirstProperty('dtstart')?.getParameter('tzid')
  return isString(tzid) ? tzid : undefined
}

const short = (text: string): string => storableText(text.slice(0, textCharactersMax))

function participantsOf({ component }: ICAL.Event): Participant[] {
  const organizers = component.getAllProperties('organizer').map((one) => participantOf(one, true))
  const attendees = component.getAllProperties('attendee').map((one) => participantOf(one, false))
  return [...organizers, ...attendees].filter((one) => one !== undefined).slice(0, participantsMax)
}

function participantOf(property: ICAL.Property, isOrganizer: boolean): Participant | undefined {
  const email = normaliseEmail(
    String(property.getFirstValue())
      .replace(/^mailto:/i, '')
      .trim(),
  )
  if (email === undefined) return undefined
  const name: unknown = property.getParameter('cn')
  const status: unknown = property.getParameter('partstat')
  const type = String(property.getParameter('cutype') ?? '').toLowerCase()
  return {
    email,
    ...(isString(name) && name !== '' && { name: short(name) }),
    ...(isString(status) && { status: short(status.toLowerCase()) }),
    ...(isOrganizer && { organizer: true }),
    ...(isOneOf(thingTypes, type) && { type }),
  }
}
