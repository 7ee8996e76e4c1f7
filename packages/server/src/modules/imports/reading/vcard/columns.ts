import { joinedItems } from '@kontor/contract/values'
import { hasType, type CardProperty } from './properties.ts'
import { isUtf8 } from 'node:buffer'

/** Returns the value of a property as text: decoded, and without escapes. */
const textOf = (property: CardProperty): string => unescapedText(decodedOf(property)).trim()

/** Returns the parts of a structured value, such as a name or an address. */
const partsOf = (property: CardProperty): string[] =>
  splitUnescaped(decodedOf(property), ';').map((piece) => unescapedText(piece).trim())

/** Returns the items of a list, such as categories. */
const itemsOf = (property: CardProperty): string[] =>
  splitUnescaped(decodedOf(property), ',')
    .map((item) => unescapedText(item).trim())
    .filter((item) => item !== '')

/** Decodes what version 2.1 encodes; an unknown character set is read as that of Windows. */
function decodedOf({ parameters, value }: CardProperty): string {
  const encodings = [...(parameters.get('ENCODING') ?? []), ...(parameters.get('TYPE') ?? [])]
  if (!encodings.some((one) => one.toLowerCase() === 'quoted-printable')) return value
  const bytes = Buffer.from(
    value.replaceAll(/=([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  )
  const [charset = isUtf8(bytes) ? 'utf-8' : 'windows-1252'] = parameters.get('CHARSET') ?? []
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

const unescapedText = (text: string): string =>
  text.replaceAll(/\\([\s\S])/g, (_, character: string) => (/n/i.test(character) ? '\n' : character))

function splitUnescaped(text: string, separator: string): string[] {
  const parts = ['']
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === '\\') parts[parts.length - 1] += character + (text[++at] ?? '')
    else if (character === separator) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts
}

/** Returns a date as ISO 8601 writes it; a birthday without a year is none. */
function dateOf(property: CardProperty): string {
  const [, year, month, day] = /^(\d{4})-?(\d{2})-?(\d{2})(?:T.*)?$/.exec(textOf(property)) ?? []
  return day === undefined ? '' : `${year}-${month}-${day}`
}

type Column = { readonly name: string; readonly read: (properties: readonly CardProperty[]) => string }

const named = (properties: readonly CardProperty[], name: string): CardProperty[] =>
  properties
    .filter((property) => property.name === name)
    .toSorted((one, other) => Number(isPreferred(other)) - Number(isPreferred(one)))

const isPreferred = (property: CardProperty): boolean =>
  hasType(property, 'pref') || property.parameters.get('PREF')?.[0] === '1'

const first = (name: string, read: (property: CardProperty) => string = textOf) => ({
  read: (properties: readonly CardProperty[]): string =>
    named(properties, name)
      .map((property) => read(property))
      .find((text) => text !== '') ?? '',
})

const part = (name: string, index: number) => first(name, (property) => partsOf(property)[index] ?? '')

const all = (read: (properties: readonly CardProperty[]) => readonly string[]) => ({
  read: (properties: readonly CardProperty[]): string =>
    joinedItems([...new Set(read(properties).filter((text) => text !== ''))]),
})

/** A text without the scheme and the parameters of a URI: `tel:+41446681800;ext=1`. */
const withoutScheme = (text: string, scheme: string): string =>
  text.toLowerCase().startsWith(scheme) ? (text.slice(scheme.length).split(/[;?]/, 1)[0] ?? '') : text

const phonesOf = (properties: readonly CardProperty[], isFax: boolean): string[] =>
  named(properties, 'TEL')
    .filter((property) => hasType(property, 'fax') === isFax)
    .map((property) => withoutScheme(textOf(property), 'tel:'))

/** The columns of a card. Those that the fields of a person are named as are proposed for them. */
const columns: readonly Column[] = [
  { name: 'Full name', ...first('FN') },
  { name: 'First name', ...part('N', 1) },
  { name: 'Last name', ...part('N', 0) },
  { name: 'Additional names', ...part('N', 2) },
  { name: 'Prefix', ...part('N', 3) },
  { name: 'Suffix', ...part('N', 4) },
  { name: 'Nickname', ...first('NICKNAME') },
  { name: 'E-mail', ...all((card) => named(card, 'EMAIL').map((one) => withoutScheme(textOf(one), 'mailto:'))) },
  { name: 'Phone', ...all((card) => phonesOf(card, false)) },
  { name: 'Fax', ...all((card) => phonesOf(card, true)) },
  { name: 'Organization', ...part('ORG', 0) },
  { name: 'Department', ...part('ORG', 1) },
  { name: 'Job title', ...first('TITLE') },
  { name: 'Role', ...first('ROLE') },
  { name: 'Street', ...part('ADR', 2) },
  { name: 'City', ...part('ADR', 3) },
  { name: 'Region', ...part('ADR', 4) },
  { name: 'Postal code', ...part('ADR', 5) },
  { name: 'Country', ...part('ADR', 6) },
  { name: 'Website', ...first('URL') },
  { name: 'LinkedIn', read: linkedIn },
  { name: 'Birthday', ...first('BDAY', dateOf) },
  { name: 'Note', read: (card) => named(card, 'NOTE').map(textOf).join('\n') },
  { name: 'Labels', ...all((card) => named(card, 'CATEGORIES').flatMap(itemsOf)) },
  { name: 'UID', ...first('UID') },
]

function linkedIn(properties: readonly CardProperty[]): string {
  const urls = [
    ...named(properties, 'X-SOCIALPROFILE'),
    ...named(properties, 'SOCIALPROFILE'),
    ...named(properties, 'URL'),
  ]
  return urls.map(textOf).find((url) => /^https?:\/\/([a-z]+\.)?linkedin\.com\//i.test(url)) ?? ''
}

export const cardHeader: readonly string[] = columns.map(({ name }) => name)

/** Returns the cells of a card. */
export const cellsOfCard = (properties: readonly CardProperty[]): string[] =>
  columns.map(({ read }) => read(properties))

/** Returns the value of a property as text: decoded, and without escapes. */
