import { dayMs } from '../../../../kernel/clock.ts'
import type { CalendarBudget } from './faults.ts'
import { propertiesOf, propertyOf, type Component } from './lines.ts'
import { readMoment, readMoments } from './moments.ts'
import { clocksOf } from './expand.ts'
import { readRule } from './rule.ts'
import { utc, type Zone, type Zones } from './zone.ts'

type Onset = { readonly at: number; readonly offset: number; readonly before: number }

type Observance = (until: number) => readonly Onset[]

/** Years are written down ahead, so that few are written down often. */
const aheadMs = 10 * 366 * dayMs

/** A zone as a calendar defines it (RFC 5545 §3.6.5); undefined where the definition says nothing. */
export function definedZone(component: Component, budget: CalendarBudget): Zone | undefined {
  const observances = component.components.flatMap((one) => observanceOf(one, budget) ?? [])
  if (observances.length === 0) return undefined
  let onsets: readonly Onset[] = []
  let knownUntil = -Infinity
  const know = (instant: number) => {
    if (instant < knownUntil) return
    knownUntil = instant + aheadMs
    onsets = observances.flatMap((onsetsUntil) => onsetsUntil(knownUntil)).toSorted((one, other) => one.at - other.at)
  }
  return {
    offsetAt(instant) {
      know(instant)
      const next = firstAfter(onsets, instant)
      return onsets[next - 1]?.offset ?? onsets[0]?.before ?? 0
    },
  }
}

/** The place of the first onset that is later than an instant. */
function firstAfter(onsets: readonly Onset[], instant: number): number {
  let [low, high] = [0, onsets.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((onsets[middle]?.at ?? 0) <= instant) low = middle + 1
    else high = middle
  }
  return low
}

const local: Zones = { workspace: utc, floating: utc, named: () => undefined }

/** Steps for the onsets of one observance: two a year since 1600 are some hundred. */
const stepsMax = 200_000

function observanceOf(component: Component, budget: CalendarBudget): Observance | undefined {
  try {
    const [start, from, to] = ['DTSTART', 'TZOFFSETFROM', 'TZOFFSETTO'].map(
      (name) => propertyOf(component, name)?.value,
    )
    const [before, offset] = [readOffset(from), readOffset(to)]
    if (start === undefined || before === undefined || offset === undefined) return undefined
    const { clock } = readMoment(start, undefined, local, 'DTSTART')
    const rules = propertiesOf(component, 'RRULE').map(({ value }) => readRule(value, local))
    const dates = propertiesOf(component, 'RDATE').flatMap((property) =>
      readMoments(property, local, 'RDATE').map(({ at }) => (at.isDate ? at.clock + (clock % dayMs) : at.clock)),
    )
    return (until) => {
      budget.begin(stepsMax)
      const clocks = rules.flatMap((rule) =>
        clocksOf(
          { ...rule, until: rule.until && { ...rule.until, clock: rule.until.clock + (rule.until.zone ? before : 0) } },
          clock,
          {
            after: -Infinity,
            before: until + dayMs,
            budget,
          },
        ),
      )
      return [...new Set([clock, ...clocks, ...dates])].map((at) => ({ at: at - before, offset, before }))
    }
  } catch {
    return undefined
  }
}

function readOffset(text: string | undefined): number | undefined {
  const found = /^([+-])(\d{2}):?(\d{2})(?::?(\d{2}))?$/.exec(text?.trim() ?? '')
  if (found === null) return undefined
  const [hours = 0, minutes = 0, seconds = 0] = found.slice(2).map((part) => +(part ?? 0))
  return (found[1] === '-' ? -1 : 1) * ((hours * 60 + minutes) * 60 + seconds) * 1000
}
