import { keyOfInstance } from '../instance-keys.ts'
import type { EventVersion, Occurrence, Series } from './calendar.ts'
import { endOf, isCancelledBy, momentOf, readEvent, versionOf, type CalendarEvent } from './event.ts'
import { isOlder } from './version.ts'
import { EventFault, type CalendarBudget } from './faults.ts'
import { nameOf } from './instance-name.ts'
import { Instances, isSeries, type InstancePlace, type Window } from './instances.ts'
import { propertyOf, type Component, type Property } from './lines.ts'
import type { Moment } from './moments.ts'
import { clockIn, instantIn, type Zones } from './zone.ts'

/** A VEVENT, and the calendar in which it is. */
export type Source = { readonly component: Component; readonly zones: Zones; readonly method: string }

type Report = (component: Component, fault: EventFault) => void

/** A change of one instance, or of it and all later ones. */
type Exception = { readonly event: CalendarEvent; readonly recurrence: Moment; readonly isForFuture: boolean }

type SeriesUid = { readonly uid: string; readonly isGiven: boolean }

/** Steps that the rule of one event may take: a thousand years of days, and all minutes of the window. */
const stepsMax = 500_000

/** Years of four digits, which is what the times of records have. */
const earliest = Date.parse('0000-01-01T00:00:00Z')
const latest = Date.parse('9999-12-31T23:59:59Z')

/** Reads one event in all its parts; undefined where there is nothing in it that can be read. */
export function readSeries(
  named: SeriesUid,
  sources: readonly Source[],
  { window, budget, report }: { readonly window: Window; readonly budget: CalendarBudget; readonly report: Report },
): Series | undefined {
  const builder = new SeriesBuilder(named)
  let master: CalendarEvent | undefined
  let ending: EventVersion | undefined
  const exceptions: Exception[] = []
  const unread: Unread[] = []
  const guard = (component: Component, work: () => void): boolean => {
    try {
      work()
      return true
    } catch (error) {
      if (!(error instanceof EventFault)) throw error
      report(component, error)
      return false
    }
  }
  for (const { component, zones, method } of sources) {
    const recurrence = propertyOf(component, 'RECURRENCE-ID')
    let at: Moment | undefined
    const isRead = guard(component, () => {
      at = recurrence && momentOf(recurrence, zones, 'RECURRENCE-ID')
      if (recurrence === undefined && isEnding(component, method)) {
        ending = newerOf(versionOf(component, zones), ending ?? noVersion)
        return
      }
      const event = readEvent(component, zones, method)
      if (method === 'ADD') builder.add(event)
      else if (recurrence === undefined || at === undefined) master = master && isOlder(event, master) ? master : event
      else exceptions.push({ event, recurrence: at, isForFuture: isForFuture(recurrence) })
    })
    if (!isRead && at !== undefined) unread.push({ at })
  }
  const found = master
  if (ending !== undefined && (found === undefined || !isOlder(ending, found))) builder.end(ending, window)
  else if (found === undefined)
    for (const exception of exceptions) guard(exception.event.component, () => builder.addAlone(exception))
  else {
    budget.begin(stepsMax)
    const isBuilt = guard(found.component, () => builder.build(found, exceptions, unread, window, budget))
    // An event that is read in part would end what is missing in it.
    if (!isBuilt) return undefined
  }
  return builder.result()
}

/** An instance that the calendar has, and that cannot be read. */
type Unread = { readonly at: Moment }

/** Returns whether a component only cancels an event, and says nothing else of it (RFC 5546 §3.2.5). */
const isEnding = (component: Component, method: string): boolean =>
  isCancelledBy(component, method) && propertyOf(component, 'DTSTART') === undefined

const noVersion: EventVersion = { sequence: 0, stampedAt: null }

const isForFuture = ({ parameters }: Property): boolean => parameters.get('RANGE')?.toUpperCase() === 'THISANDFUTURE'

const newerOf = (one: EventVersion, other: EventVersion): EventVersion => (isOlder(one, other) ? other : one)

class SeriesBuilder {
  readonly #named: SeriesUid
  readonly #occurrences = new Map<string, Occurrence>()
  #whole: Pick<Series, 'version' | 'isRecurring' | 'isCancelled' | 'from' | 'to'> | undefined
  #kept: number[] = []

  constructor(named: SeriesUid) {
    this.#named = named
  }

  /** Adds an instance that a series has besides (METHOD:ADD). */
  add(event: CalendarEvent): void {
    const { start, startsAt } = event
    this.#push(event, this.#placeOf(event, start.isDate ? start.clock : startsAt), event)
  }

  /** Adds what is different in an instance of a series that the calendar does not hold. */
  addAlone({ event, recurrence, isForFuture: andLater }: Exception): void {
    const name = nameOf(recurrence, event.start, event.zones)
    const original = name.originals[0] ?? event.startsAt
    const cancelledFrom = andLater && event.isCancelled ? original : null
    this.#push(event, this.#placeOf(event, original), event, { cancelledFrom, name })
  }

  /** Ends an event of which nothing else is known. */
  end(version: EventVersion, { from, to }: Window): void {
    this.#whole = { version, isRecurring: false, isCancelled: true, from, to }
  }

  build(
    master: CalendarEvent,
    exceptions: readonly Exception[],
    unread: readonly Unread[],
    window: Window,
    budget: CalendarBudget,
  ): void {
    const version = { sequence: master.sequence, stampedAt: master.stampedAt }
    const isRecurring = isSeries(master)
    this.#whole = { version, isRecurring, isCancelled: master.isCancelled, from: window.from, to: window.to }
    if (!isRecurring && exceptions.length + unread.length === 0) {
      this.#push(master, this.#placeOf(master, master.start.isDate ? master.start.clock : master.startsAt))
      return
    }
    const instances = new Instances(master, isRecurring ? window : always, budget)
    this.#whole = { ...this.#whole, isRecurring: true }
    this.#kept = unread.map(({ at }) => instances.named(at))
    const own = newestOf(exceptions, instances)
    const future = [...own]
      .filter(([, { isForFuture: andLater }]) => andLater)
      .toSorted(([one], [other]) => one - other)
    for (const [original, place] of instances.places) {
      if (own.has(original) || this.#kept.includes(original)) continue
      const later = future.findLast(([from]) => from <= original)
      if (later === undefined) this.#push(master, place)
      else this.#push(later[1].event, shifted(master, later, place), newerOf(later[1].event, master))
    }
    for (const [original, { event }] of own) {
      const isAnInstance = instances.places.has(original)
      // Instances of an older series are not part of the new one.
      if (instances.leftOut.has(original) || (!isAnInstance && isOlder(event, master))) continue
      const place = this.#placeOf(event, original)
      if (!isAnInstance && isRecurring && !isWithin(window, original) && !isWithin(window, place.startsAt)) continue
      const isOff = master.isCancelled && isOlder(event, master)
      this.#push({ ...event, isCancelled: event.isCancelled || isOff }, place, newerOf(event, master))
    }
    for (const place of instances.leftOut.values()) this.#push({ ...master, isCancelled: true }, place)
  }

  result(): Series | undefined {
    if (this.#whole === undefined && this.#occurrences.size === 0) return undefined
    const occurrences = [...this.#occurrences.values()]
    return {
      uid: this.#named.uid,
      version: null,
      isRecurring: true,
      isCancelled: false,
      from: 0,
      to: 0,
      ...this.#whole,
      occurrences,
      kept: this.#kept,
    }
  }

  #placeOf({ startsAt, zone, length }: CalendarEvent, original: number): InstancePlace {
    return { original, startsAt, endsAt: endOf(zone, startsAt, length) }
  }

  #push(
    event: CalendarEvent,
    place: InstancePlace,
    version: EventVersion = event,
    { cancelledFrom, name }: Pick<Occurrence, 'cancelledFrom' | 'name'> = { cancelledFrom: null, name: null },
  ): void {
    const { original, startsAt, endsAt } = place
    if (!(startsAt >= earliest && endsAt <= latest)) throw new EventFault('Its time does not exist.')
    const isInstance = this.#whole === undefined || this.#whole.isRecurring
    const { uid, isGiven } = this.#named
    const key = isInstance ? keyOfInstance(uid, original) : uid
    const before = this.#occurrences.get(key)
    if (before !== undefined && isOlder(version, before)) return
    this.#occurrences.set(key, {
      key,
      uid: isGiven ? uid : null,
      original,
      name,
      title: event.title,
      startsAt,
      endsAt,
      isAllDay: event.start.isDate,
      participants: event.participants,
      isCancelled: event.isCancelled,
      cancelledFrom,
      sequence: version.sequence,
      stampedAt: version.stampedAt,
    })
  }
}

const always: Window = { from: earliest, to: latest }

const isWithin = ({ from, to }: Window, instant: number): boolean => instant >= from && instant <= to

/** The newest exception of each instance. */
function newestOf(exceptions: readonly Exception[], instances: Instances): ReadonlyMap<number, Exception> {
  const newest = new Map<number, Exception>()
  for (const exception of exceptions) {
    const original = instances.named(exception.recurrence)
    const before = newest.get(original)
    if (before === undefined || !isOlder(exception.event, before.event)) newest.set(original, exception)
  }
  return newest
}

/** An instance that is moved as an earlier one is, with all that come after it. */
function shifted(
  master: CalendarEvent,
  [from, { event }]: readonly [number, Exception],
  { original, startsAt }: InstancePlace,
): InstancePlace {
  const origin = master.start.isDate ? instantIn(master.zone, from) : from
  const by = clockIn(master.zone, event.startsAt) - clockIn(master.zone, origin)
  const at = instantIn(master.zone, clockIn(master.zone, startsAt) + by)
  return { original, startsAt: at, endsAt: endOf(event.zone, at, event.length) }
}
