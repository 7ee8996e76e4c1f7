import { dayMs } from '../../../../kernel/clock.ts'
import { dayAt, dayFilter, dayNumber, type Day, type DayFilter } from './days.ts'
import type { CalendarBudget } from './faults.ts'
import type { Rule } from './rule.ts'

type Range = { readonly after: number; readonly before: number; readonly budget: CalendarBudget }

/**
 * The times of a rule between two, in order, as clocks show them. Every rule comes to its end: it is asked of each day,
 * week, month or year of the range in turn, whether or not it has any.
 */
export function clocksOf(rule: Rule, start: number, { after, before, budget }: Range): number[] {
  const last = Math.min(before, rule.until === undefined ? Infinity : endOf(rule.until))
  const found: number[] = []
  let count = 0
  // A rule that counts is followed from its start.
  const from = rule.count === undefined ? Math.max(start, after) : start
  for (const clocks of periods(rule, start, from, last, budget)) {
    for (const clock of positioned(rule, clocks)) {
      if (clock < start) continue
      if (clock > last || count === rule.count) return found
      count++
      if (clock >= after) found.push(clock)
    }
  }
  return found
}

/** A day as the end of a rule is the whole day. */
const endOf = ({ clock, isDate }: { readonly clock: number; readonly isDate: boolean }): number =>
  isDate ? clock + dayMs - 1 : clock

function positioned({ positions }: Rule, clocks: readonly number[]): readonly number[] {
  if (positions === undefined) return clocks
  return clocks.filter((_, index) => positions.includes(index + 1) || positions.includes(index - clocks.length))
}

function* periods(
  rule: Rule,
  start: number,
  from: number,
  last: number,
  budget: CalendarBudget,
): Generator<readonly number[]> {
  const first = dayAt(Math.floor(start / dayMs))
  const isChosen = dayFilter(rule, first)
  if (rule.frequency === 'HOURLY' || rule.frequency === 'MINUTELY' || rule.frequency === 'SECONDLY') {
    yield* withinDays(rule, start, from, last, isChosen, budget)
    return
  }
  const times = timesOf(rule, start)
  for (const [begin, end] of spans(rule, first, Math.floor(from / dayMs), Math.floor(last / dayMs))) {
    budget.spend(end - begin)
    const days: Day[] = []
    for (let number = begin; number < end; number++) {
      const day = dayAt(number)
      if (isChosen(day)) days.push(day)
    }
    budget.spend(days.length * times.length)
    yield days.flatMap(({ number }) => times.map((time) => number * dayMs + time))
  }
}

/** The days of each period, from the one that has the first day to that of the last. */
function* spans(
  { frequency, interval, weekStart, months }: Rule,
  start: Day,
  from: number,
  last: number,
): Generator<readonly [number, number]> {
  const skipped = (of: number) => Math.max(0, Math.floor(of / interval) - 1) * interval
  if (frequency === 'DAILY' || frequency === 'WEEKLY') {
    const days = frequency === 'DAILY' ? 1 : 7
    const first = frequency === 'DAILY' ? start.number : start.number - ((start.weekday - weekStart + 7) % 7)
    for (let n = skipped((from - first) / days); first + n * days <= last; n += interval)
      yield [first + n * days, first + (n + 1) * days]
  } else if (frequency === 'MONTHLY') {
    const since = dayAt(from)
    const begun = (since.year - start.year) * 12 + since.month - start.month
    for (let n = skipped(begun); dayNumber(start.year, start.month + n) <= last; n += interval)
      // Months that are not asked for cost nothing.
      if (months?.includes(((start.month - 1 + n) % 12) + 1) ?? true)
        yield [dayNumber(start.year, start.month + n), dayNumber(start.year, start.month + n + 1)]
  } else {
    for (let n = skipped(dayAt(from).year - start.year); dayNumber(start.year + n, 1) <= last; n += interval)
      yield [dayNumber(start.year + n, 1), dayNumber(start.year + n + 1, 1)]
  }
}

const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

/** The times of a day at which a rule of whole days is, in order, as milliseconds since midnight. */
function timesOf({ hours, minutes, seconds }: Rule, start: number): number[] {
  const time = ((start % dayMs) + dayMs) % dayMs
  const [hour, minute, second] = [
    Math.floor(time / hourMs),
    Math.floor(time / minuteMs) % 60,
    Math.floor(time / secondMs) % 60,
  ]
  return (hours ?? [hour]).flatMap((h) =>
    (minutes ?? [minute]).flatMap((m) => (seconds ?? [second]).map((s) => h * hourMs + m * minuteMs + s * secondMs)),
  )
}

const sixty = Array.from({ length: 60 }, (_, index) => index)
const allHours = sixty.slice(0, 24)

/** The periods of a rule that are shorter than a day. */
function* withinDays(
  rule: Rule,
  start: number,
  from: number,
  last: number,
  isChosen: DayFilter,
  budget: CalendarBudget,
): Generator<readonly number[]> {
  const { frequency, interval } = rule
  const unit = frequency === 'HOURLY' ? hourMs : frequency === 'MINUTELY' ? minuteMs : secondMs
  const begun = Math.floor(start / unit)
  const inUnit = timesOf({ ...rule, hours: [0], ...(frequency !== 'HOURLY' && { minutes: [0] }) }, start)
  let times: readonly number[] | undefined
  for (let number = Math.floor(from / dayMs); number <= Math.floor(last / dayMs); number++) {
    budget.spend(1)
    if (!isChosen(dayAt(number))) continue
    times ??= unitsOf(rule)
    budget.spend(times.length)
    for (const time of times) {
      const at = number * dayMs + time
      if ((at / unit - begun) % interval === 0) yield frequency === 'SECONDLY' ? [at] : inUnit.map((more) => at + more)
    }
  }
}

/** The beginnings of the hours, minutes or seconds of a day that a rule may choose. */
function unitsOf(rule: Rule): number[] {
  const { frequency } = rule
  return timesOf(
    {
      ...rule,
      hours: rule.hours ?? allHours,
      minutes: frequency === 'HOURLY' ? [0] : (rule.minutes ?? sixty),
      seconds: frequency === 'SECONDLY' ? (rule.seconds ?? sixty) : [0],
    },
    0,
  )
}
