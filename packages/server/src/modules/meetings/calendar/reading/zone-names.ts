import { IANAZone } from 'luxon'
import { findIana } from 'windows-iana'

/** Names that are longer name no zone. */
const nameMax = 100

/**
 * Returns the zone of the tz database that a name means: its own, with blanks for underscores or not, that of Windows,
 * or what Windows shows people.
 */
export function zoneNamed(text: string): string | undefined {
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
