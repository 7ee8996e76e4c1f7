import type { Rule } from './rule.ts'

/** A day of the calendar; `number` counts from the first of 1970. */
export type Day = {
  readonly number: number
  readonly year: number
  readonly month: number
  readonly day: number
  readonly weekday: number
}

/** The day of a number, in whole numbers alone: rules ask for millions of days. */
export function dayAt(number: number): Day {
  // Years that begin in March have their leap day at the end, and 400 of them are always as long.
  const since = number + 719_468
  const era = Math.floor(since / 146_097)
  const inEra = since - era * 146_097
  const years = Math.floor(
    (inEra - Math.floor(inEra / 1460) + Math.floor(inEra / 36_524) - Math.floor(inEra / 146_096)) / 365,
  )
  const inYear = inEra - (365 * years + Math.floor(years / 4) - Math.floor(years / 100))
  const fromMarch = Math.floor((5 * inYear + 2) / 153)
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
  return {
    number,
    year: years + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: inYear - Math.floor((153 * fromMarch + 2) / 5) + 1,
    weekday: weekdayOf(number),
  }
}

/** 0 is a Sunday, as the third day of 1970 was. */
const weekdayOf = (number: number): number => (((number + 4) % 7) + 7) % 7

/** The number of a day; months beyond twelve are those of later years. */
export function dayNumber(year: number, month: number, day = 1): number {
  const months = year * 12 + month - 1
  const [ofYear, ofMonth] = [Math.floor(months / 12), (months % 12) + 1]
  const years = ofMonth <= 2 ? ofYear - 1 : ofYear
  const era = Math.floor(years / 400)
  const inEra = years - era * 400
  const inYear = Math.floor((153 * (ofMonth > 2 ? ofMonth - 3 : ofMonth + 9) + 2) / 5) + day - 1
  return era * 146_097 + inEra * 365 + Math.floor(inEra / 4) - Math.floor(inEra / 100) + inYear - 719_468
}

/** The parts of a rule that choose days; what a rule leaves open is that of its start. */
export type DayFilter = (day: Day) => boolean

export function dayFilter(rule: Rule, start: Day): DayFilter {
  const { months, monthDays, yearDays, weeks, weekdays, frequency } = completed(rule, start)
  const isOrdinal = frequency === 'MONTHLY' || frequency === 'YEARLY'
  const within = frequency === 'MONTHLY' || months !== undefined ? 'month' : 'year'
  return (day) =>
    (months?.includes(day.month) ?? true) &&
    (monthDays === undefined ||
      isIn(monthDays, day.day, dayNumber(day.year, day.month + 1) - dayNumber(day.year, day.month))) &&
    (yearDays === undefined || isIn(yearDays, dayOfYear(day), dayNumber(day.year + 1, 1) - dayNumber(day.year, 1))) &&
    (weeks === undefined || isInWeek(weeks, day, rule.weekStart)) &&
    (weekdays?.some(
      ({ weekday, nth }) => weekday === day.weekday && (nth === 0 || !isOrdinal || isNth(nth, day, within)),
    ) ??
      true)
}

function completed(rule: Rule, start: Day): Rule {
  const { months, monthDays, yearDays, weeks, weekdays, frequency } = rule
  if (weekdays !== undefined || monthDays !== undefined || yearDays !== undefined) return rule
  if (frequency === 'WEEKLY' || (frequency === 'YEARLY' && weeks !== undefined))
    return { ...rule, weekdays: [{ weekday: start.weekday, nth: 0 }] }
  if (frequency === 'MONTHLY') return { ...rule, monthDays: [start.day] }
  return frequency === 'YEARLY' ? { ...rule, months: months ?? [start.month], monthDays: [start.day] } : rule
}

/** Returns whether a place is among some, of which negative ones count from the end. */
const isIn = (places: readonly number[], place: number, length: number): boolean =>
  places.includes(place) || places.includes(place - length - 1)

const dayOfYear = ({ number, year }: Day): number => number - dayNumber(year, 1) + 1

function isNth(nth: number, { number, year, month }: Day, within: 'month' | 'year'): boolean {
  const [first, after] =
    within === 'month'
      ? [dayNumber(year, month), dayNumber(year, month + 1)]
      : [dayNumber(year, 1), dayNumber(year + 1, 1)]
  return nth > 0 ? Math.floor((number - first) / 7) + 1 === nth : Math.floor((after - 1 - number) / 7) + 1 === -nth
}

/** The first week of a year is the first that has four of its days (RFC 5545 §3.3.10). */
function isInWeek(weeks: readonly number[], { number, year }: Day, weekStart: number): boolean {
  const firstOf = (of: number): number => {
    const first = dayNumber(of, 1)
    const since = (weekdayOf(first) - weekStart + 7) % 7
    return since <= 3 ? first - since : first + 7 - since
  }
  const its = number < firstOf(year) ? year - 1 : number >= firstOf(year + 1) ? year + 1 : year
  const week = Math.floor((number - firstOf(its)) / 7) + 1
  return isIn(weeks, week, (firstOf(its + 1) - firstOf(its)) / 7)
}
