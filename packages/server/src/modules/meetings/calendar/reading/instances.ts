import { dayMs } from '../../../../kernel/clock.ts'
import { endOf, momentOf, type CalendarEvent } from './event.ts'
import { clocksOf } from './expand.ts'
import { EventFault, type CalendarBudget } from './faults.ts'
import { propertiesOf } from './lines.ts'
import { instantOf, readMoments, readSpan, type Moment } from './moments.ts'
import { readRule, type Rule } from './rule.ts'
import { clockIn, instantIn } from './zone.ts'

/** The instants between which a series is read. */
export type Window = { readonly from: number; readonly to: number }

/** Where the rule of a series puts an instance. */
export type InstancePlace = {
  /** The same whatever zone or form names it: whole days are those of UTC. */
  readonly original: number
  readonly startsAt: number
  readonly endsAt: number
}

export const isSeries = ({ component }: CalendarEvent): boolean =>
  propertiesOf(component, 'RRULE').length > 0 || propertiesOf(component, 'RDATE').length > 0

/** The instances of a series by their originals, and the originals of those that it leaves out. */
export class Instances {
  readonly places = new Map<number, InstancePlace>()
  readonly leftOut = new Map<number, InstancePlace>()
  readonly #event: CalendarEvent
  readonly #window: Window

  constructor(event: CalendarEvent, window: Window, budget: CalendarBudget) {
    this.#event = event
    this.#window = window
    const rules = propertiesOf(event.component, 'RRULE').map(({ value }) => readRule(value, event.zones))
    if (rules.length === 0) this.#add(this.#placeAt(event.start.clock))
    for (const rule of rules) for (const clock of this.#clocksOf(rule, budget)) this.#add(this.#placeAt(clock))
    this.#addDates()
    const left = propertiesOf(event.component, 'EXRULE')
      .flatMap(({ value }) => this.#clocksOf(readRule(value, event.zones), budget))
      .map((clock) => this.#placeAt(clock).original)
    const dates = propertiesOf(event.component, 'EXDATE')
      .flatMap((property) => readMoments(property, event.zones, 'EXDATE'))
      .map(({ at }) => this.named(at))
    for (const original of [...left, ...dates]) this.#leaveOut(original)
  }

  /** The original of the instance that a moment names, in whatever form. */
  named(moment: Moment): number {
    const named = this.#candidates(moment)
    return named.find((original) => this.places.has(original) || this.leftOut.has(original)) ?? named[0] ?? 0
  }

  /** The place of an instance that the rule does not have. */
  placeOf(original: number): InstancePlace {
    const { start, zone } = this.#event
    return this.places.get(original) ?? this.#placeAt(start.isDate ? original : clockIn(zone, original))
  }

  #candidates(moment: Moment): number[] {
    const { start, zone, zones } = this.#event
    const { clock, isDate } = moment
    if (start.isDate) {
      const days = [clock, moment.isDate ? clock : clockIn(zone, instantOf(moment, zones))]
      return days.map((day) => Math.floor(day / dayMs) * dayMs)
    }
    // Of a series at some time of the day, a date names what is on that day.
    if (isDate)
      return [...this.#onDay(clock), instantIn(zone, clock + (start.clock - Math.floor(start.clock / dayMs) * dayMs))]
    if (moment.zone !== undefined) return [instantIn(moment.zone, clock)]
    return [instantIn(zone, clock), instantIn(zones.floating, clock)]
  }

  #onDay(day: number): number[] {
    const { zone } = this.#event
    const [from, to] = [instantIn(zone, day), instantIn(zone, day + dayMs)]
    const onDay = (original: number) => original >= from && original < to
    return [...this.places.keys(), ...this.leftOut.keys()].filter(onDay)
  }

  #clocksOf(rule: Rule, budget: CalendarBudget): number[] {
    const { start, zone, zones } = this.#event
    const { from, to } = this.#window
    const until = rule.until && this.#untilOf(rule.until)
    return clocksOf({ ...rule, until }, start.clock, {
      after: clockIn(start.isDate ? zones.workspace : zone, from),
      before: clockIn(zone, to),
      budget,
    })
  }

  /** The end of a rule, as the clock of the series shows it. */
  #untilOf(until: Moment): Moment {
    const { start, zone } = this.#event
    if (until.isDate || start.isDate)
      return {
        ...until,
        isDate: until.isDate || start.isDate,
        clock: start.isDate ? Math.floor(until.clock / dayMs) * dayMs : until.clock,
      }
    return until.zone === undefined ? until : { ...until, clock: clockIn(zone, instantIn(until.zone, until.clock)) }
  }

  #addDates(): void {
    const { component, zones, start, zone } = this.#event
    for (const property of propertiesOf(component, 'RDATE'))
      for (const { at, period } of readMoments(property, zones, 'RDATE')) {
        const original =
          start.isDate === at.isDate && at.zone === undefined
            ? this.#placeAt(at.clock).original
            : (this.#candidates(at).at(-1) ?? 0)
        const place = this.placeOf(original)
        if (period === undefined) this.#add(place)
        else if (/^P/i.test(period.trim()))
          this.#add({ ...place, endsAt: endOf(zone, place.startsAt, readSpan(period)) })
        else {
          const end = momentOf({ parameters: property.parameters, value: period }, zones, 'RDATE')
          this.#add({ ...place, endsAt: Math.max(place.startsAt, instantOf(end, zones)) })
        }
      }
  }

  #placeAt(clock: number): InstancePlace {
    const { start, zone, length } = this.#event
    const startsAt = instantIn(zone, clock)
    return { original: start.isDate ? clock : startsAt, startsAt, endsAt: endOf(zone, startsAt, length) }
  }

  #add(place: InstancePlace): void {
    if (!this.#isWithin(place)) return
    if (this.places.size >= instancesMax) throw new EventFault(`It has more than ${instancesMax} instances.`)
    this.places.set(place.original, place)
  }

  #leaveOut(original: number): void {
    const place = this.placeOf(original)
    this.places.delete(original)
    if (this.#isWithin(place) && this.leftOut.size < instancesMax) this.leftOut.set(original, place)
  }

  #isWithin({ startsAt }: InstancePlace): boolean {
    return startsAt >= this.#window.from && startsAt <= this.#window.to
  }
}

const instancesMax = 10_000
