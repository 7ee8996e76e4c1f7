import type { CalendarBudget } from './faults.ts'
import { propertyOf, unescaped, propertiesOf, type Component } from './lines.ts'
import { fixedZone, ianaZone, utc, type Zone, type Zones } from './zone.ts'
import { IANAZone } from 'luxon'
import { findIana } from 'windows-iana'
import { dayMs } from '../../../../kernel/clock.ts'
import { readMoment, readMoments } from './moments.ts'
import { clocksOf } from './expand.ts'
import { readRule } from './rule.ts'

/** Zones of the tz database by their names: they know what they have been asked. */
export class World {
  readonly #zones = new Map<string, Zone>()

  zone(name: string): Zone {
    const known = this.#zones.get(name)
    if (known !== undefined) return known
    const zone = ianaZone(name)
    this.#zones.set(name, zone)
    return zone
  }
}

/** Returns the zones of a file: as it defines them, or as their names are known. */
export function zonesOf(root: Component, timeZone: string, world: World, budget: CalendarBudget): Zones {
  const workspace = world.zone(timeZone)
  const components = new Map(
    root.components
      .filter(({ name }) => name === 'VTIMEZONE')
      .map((one) => [plain(unescaped(propertyOf(one, 'TZID')?.value ?? '')), one]),
  )
  const known = new Map<string, Zone | undefined>()
  const find = (tzid: string): Zone | undefined => {
    const component = components.get(plain(tzid))
    const defined = component && definedZone(component, budget)
    return defined ?? byName(tzid, world) ?? byName(component && propertyOf(component, 'X-LIC-LOCATION')?.value, world)
  }
  return {
    workspace,
    floating: byName(propertyOf(root, 'X-WR-TIMEZONE')?.value, world) ?? workspace,
    named(tzid) {
      if (tzid === undefined) return undefined
      const name = tzid.trim()
      if (!known.has(name)) known.set(name, find(name))
      return known.get(name)
    },
  }
}

/** A name, without what programs write in one place and not in another. */
const plain = (tzid: string): string => tzid.replaceAll('"', '').trim().toLowerCase()

function byName(name: string | undefined, world: World): Zone | undefined {
  if (name === undefined) return undefined
  const text = name.replaceAll('"', '').trim()
  const found = [text, ...endsOf(text)].flatMap((one) => zoneNamed(one) ?? [])[0]
  if (found !== undefined) return world.zone(found)
  const offset = /^\(?(?:UTC|GMT)([+-]\d{1,2}(?:[:.]?\d{2})?)(?:$|\))/i.exec(text)?.[1]?.replace('.', ':')
  return offset === undefined ? undefined : fixedZone(offset)
}

/** Vendors write their own path before the name: `/citadel.org/20210210_1/Europe/Berlin`. */
function endsOf(name: string): string[] {
  const parts = name.split('/').slice(-4)
  return parts.length < 2 ? [] : [3, 2, 1].filter((n) => n < parts.length).map((n) => parts.slice(-n).join('/'))
}

/** Names that are longer name no zone. */
const nameMax = 100

/**
 * Returns the zone of the tz database that a name means: its own, with blanks for underscores or not, that of Windows,
 * or what Windows shows people.
 */
function zoneNamed(text: string): string | undefined {
  if (text.length > nameMax) return undefined
  return worldName(text) ?? findIana(text.replace(/ (Daylight|Summer) Time$/i, ' Standard Time'))[0] ?? zoneShown(text)
}

function worldName(text: string): string | undefined {
  const name = text.replaceAll(' ', '_')
  return name !== '' && IANAZone.isValidZone(name) ? name : undefined
}

const regions = ['Europe', 'America', 'Asia', 'Africa', 'Australia', 'Pacific', 'Atlantic', 'Canada', 'US']

/** Such as `(UTC+01:00) Amsterdam, Berlin, Rome` and `(UTC-05:00) Eastern Time (US & Canada)`. */
function zoneShown(text: string): string | undefined {
  const [, offset, shown = text] = /^\((?:UTC|GMT)([+-]\d{1,2}(?:[:.]?\d{2})?)?\)\s*(.*)$/i.exec(text) ?? []
  if (shown !== text && offset === undefined) return worldName(shown.split(/[,/]/)[0]?.trim() ?? '') ?? 'UTC'
  const land = /^(\w+) Time \(.*\)$/.exec(shown)?.[1]
  if (land !== undefined) return findIana(`${land} Standard Time`)[0]
  const cities = shown.split(/[,/]/).map((city) => city.trim())
  return cities.flatMap((city) => regions.flatMap((region) => worldName(`${region}/${city}`) ?? []))[0]
}

type Onset = { readonly at: number; readonly offset: number; readonly before: number }

type Observance = (until: number) => readonly Onset[]

/** Years are written down ahead, so that few are written down often. */
const aheadMs = 10 * 366 * dayMs

/** A zone as a calendar defines it (RFC 5545 §3.6.5); undefined where the definition says nothing. */
function definedZone(component: Component, budget: CalendarBudget): Zone | undefined {
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
