import type { CalendarBudget } from './faults.ts'
import { propertyOf, unescaped, type Component } from './lines.ts'
import { definedZone } from './defined-zone.ts'
import { fixedZone, ianaZone, type Zone, type Zones } from './zone.ts'
import { zoneNamed } from './zone-names.ts'

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
