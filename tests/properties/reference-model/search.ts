import type { Json } from '../../harness/http.ts'
import { joined, spellingsOf } from './phones.ts'
import { byBytes, folded } from './values.ts'

/** The searched fields of each object, written down from the description of the API; the primary field first. */
export const searchedFields: Readonly<Record<string, readonly string[]>> = {
  person: ['name', 'email_addresses', 'phone_numbers', 'job_title', 'location', 'labels'],
  company: ['name', 'domains', 'industry', 'location', 'labels'],
  deal: ['name', 'currency', 'labels'],
  task: ['title'],
  meeting: ['title', 'participants', 'event_id', 'ical_uid'],
  message: ['subject', 'from', 'to'],
  user: ['name', 'email'],
}

const spelledOut: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
}

/** Returns whether a character is an accent of Latin, Greek or Cyrillic. */
const isAccent = (character: string): boolean => character >= '\u0300' && character <= '\u036f'

/** Words, character by character: what is no letter, mark, digit or symbol ends one. */
export function words(text: string): string[] {
  const plain = [
    ...[...folded(text).normalize('NFD')]
      .filter((character) => !isAccent(character))
      .join('')
      .normalize('NFC'),
  ]
  const found: string[] = ['']
  for (const character of plain) {
    if (/[\p{L}\p{M}\p{N}\p{So}]/u.test(character)) found[found.length - 1] += spelledOut[character] ?? character
    else if (found.at(-1) !== '') found.push('')
  }
  return found.filter((word) => word !== '')
}

function textsOf(value: Json): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

const isWrittenWithoutSpaces = (character: string): boolean =>
  ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar'].some((script) =>
    new RegExp(`\\p{Script_Extensions=${script}}`, 'u').test(character),
  ) || /\p{So}/u.test(character)

/** One or two letters are looked for where words begin; everything else anywhere. */
function isIn(term: string, word: string): boolean {
  const characters = [...term]
  return characters.length < 3 && !characters.every(isWrittenWithoutSpaces)
    ? word.startsWith(term)
    : word.includes(term)
}

const wordsIn = (object: string, attributes: Json, fields = searchedFields[object]!): string[] =>
  fields
    .flatMap((name) => {
      const texts = textsOf(attributes[name] ?? null)
      return name === 'phone_numbers' ? [...texts, ...texts.flatMap(spellingsOf)] : texts
    })
    .flatMap(words)

/** The readings of a search: each word, or groups of digits as one number. */
const readings = (search: string): string[][] => [words(search), words(joined(search))]

export function isFound(search: string, object: string, attributes: Json): boolean {
  const own = wordsIn(object, attributes)
  return readings(search).some((terms) => terms.every((term) => own.some((word) => isIn(term, word))))
}

const titleWords = (object: string, attributes: Json): string[] => {
  const title = attributes[searchedFields[object]![0]!]
  return words(typeof title === 'string' ? title : (title?.full_name ?? ''))
}

const whole = (term: string, word: string): boolean => word === term
const beginning = (term: string, word: string): boolean => word.startsWith(term)

/** Ranks a record by the place in this list of the first sentence that is true. */
function rank(search: string, object: string, attributes: Json): number {
  const [title, all] = [titleWords(object, attributes), wordsIn(object, attributes)]
  const every = (own: readonly string[], holds: (term: string, word: string) => boolean) =>
    readings(search).some((terms) => terms.every((term) => own.some((word) => holds(term, word))))
  return [
    every(title, whole),
    every(title, beginning),
    every(title, isIn),
    every(all, whole),
    every(all, beginning),
    true,
  ].indexOf(true)
}

export type Found = { readonly object: string; readonly attributes: Json }

/** The better first. */
export const byRelevance =
  (search: string) =>
  (a: Found, b: Found): number => {
    const title = ({ object, attributes }: Found) => titleWords(object, attributes).join(' ')
    return (
      rank(search, a.object, a.attributes) - rank(search, b.object, b.attributes) ||
      byBytes(`${title(a)} `, `${title(b)} `) ||
      byBytes(a.attributes._id, b.attributes._id)
    )
  }
