import type { FieldTypeName } from '@kontor/contract'
import type { RowOf } from '../../../db/columns.ts'
import { phoneForm, joinedNumbers, fold } from '../../../db/fold.ts'
import type { Field } from '../../fields/index.ts'
import { fieldTitle, type ObjectModel, type RecordRow } from '../../objects/index.ts'
import type { Tx } from '../../../db/tx.ts'
import type { StoredDocument } from './store.ts'
import { derived } from '../../../lib/caches.ts'
import { defined } from '../../../lib/guards.ts'

/** Separators between words: everything but letters, digits, marks and symbols such as emoji. */
const separators = /[^\p{L}\p{M}\p{N}\p{So}]+/u

/**
 * The accents of Latin, Greek and Cyrillic letters. Marks of other scripts are letters in all but name, and are kept.
 */
const accents = /[\u0300-\u036f]/g

/** Letters without a separable accent, as people type them on a keyboard that lacks them. */
const plainLetters: Readonly<Record<string, string>> = {
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
const specialLetters = /[ßæœøđðłþı]/g

/** Normalises a text for search: folded like every other text, and without accents. */
const searched = (text: string): string =>
  fold(text)
    .normalize('NFD')
    .replaceAll(accents, '')
    .normalize('NFC')
    .replaceAll(specialLetters, (letter) => defined(plainLetters[letter]))

/** The words of a text in their order. */
export const wordsOf = (text: string): string[] =>
  searched(text)
    .split(separators)
    .filter((word) => word !== '')

/** Characters of scripts that are written without spaces between words, and symbols: any of them may begin a word. */
const unspaced =
  /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{So}]$/u

export const isUnspaced = (character: string): boolean => unspaced.test(character)

/**
 * A search term. It matches anywhere in a word of a record; with `atStart`, only at the beginning of a word. Terms of
 * one or two letters match only there, because within words they are nearly everywhere.
 */
export type Term = { readonly text: string; readonly atStart: boolean }

/** Fewest characters of a term that matches within words. */
const infixMin = 3

/**
 * The words of a search: all words; or, where groups of digits may be one phone number, that number and the other
 * words.
 */
export function readingsOf(search: string): Term[][] {
  const [words, joined] = [termsOf(search), termsOf(joinedNumbers(search))]
  return words.map(({ text }) => text).join() === joined.map(({ text }) => text).join() ? [words] : [words, joined]
}

export const termsOf = (search: string): Term[] =>
  [...new Set(wordsOf(search))].map((text) => {
    const characters = Array.from(text)
    return { text, atStart: characters.length < infixMin && !characters.every(isUnspaced) }
  })

/** The parts of a record that its search document is made of. */
export type Documented = Pick<RecordRow, 'id' | 'created_at' | 'data'>

/**
 * Field types that are searched unless `xSvcSearchable` is false: what people call a record by, and where they find it.
 */
const searchedTypes: ReadonlySet<FieldTypeName> = new Set<FieldTypeName>([
  'text',
  'person_name',
  'email_addresses',
  'phone_numbers',
  'domains',
  'labels',
  'participants',
  'location',
])

/** Field types that are searched if `xSvcSearchable` is true. Others contain no words. */
const searchableTypes: ReadonlySet<FieldTypeName> = new Set<FieldTypeName>([
  ...searchedTypes,
  'long_text',
  'rich_text',
  'url',
  'select',
  'multi_select',
])

const isSearched = ({ type, schema }: Field): boolean => {
  const { xSvcSearchable: wanted } = schema
  return wanted === undefined ? searchedTypes.has(type.name) : wanted && searchableTypes.has(type.name)
}

/** The fields of which a record's search document has the words. */
export const searchedFields = derived((object: ObjectModel): readonly Field[] => object.attributes.filter(isSearched))

const searchedAs = ({ key, type, primary }: Field): string => `${key} ${type.name} ${primary}`

/** Tells whether a schema change alters the words by which records are found. New fields have no values yet. */
export function searchesOtherwise(before: ObjectModel, after: ObjectModel): boolean {
  const known = new Set(before.attributes.map(({ key }) => key))
  const [was, is] = [before, after].map(({ attributes }) =>
    attributes
      .filter((field) => known.has(field.key) && isSearched(field))
      .map(searchedAs)
      .toSorted()
      .join(),
  )
  return was !== is
}

/** Most characters of a search document: a longer one would cost more to keep than it helps to find. */
const documentCharactersMax = 10_000

/**
 * Builds the search row of a record: the words of its primary field in their order, and every word of the record once.
 * Words are separated by spaces, so that the text shows where a word begins and ends.
 */
export function documentRow(
  workspaceId: string,
  object: ObjectModel,
  { id, created_at, data }: Documented,
  wordsIn = wordsOf,
): RowOf<'search_document'> {
  const fields = searchedFields(object)
  const words = (some: readonly Field[]): string[] =>
    some.flatMap((field) => textsIn(field, data[field.key]).flatMap(wordsIn))
  const primary = fields.filter((field) => field.primary)
  const title = spaced(primary.flatMap((field) => wordsIn(fieldTitle(field, data[field.key]))))
  return {
    workspace_id: workspaceId,
    record_id: id,
    object: object.key,
    created_at,
    title_text: title,
    document_text: spaced([...new Set([...words(primary), ...words(fields.filter((field) => !field.primary))])]),
    grams: null,
  }
}

function spaced(words: readonly string[]): string {
  let text = ' '
  for (const word of words) {
    if (text.length + word.length > documentCharactersMax) break
    text += `${word} `
  }
  return text
}

/**
 * All texts in a value, of phone numbers also other spellings; of rich text only the written text, without ids and
 * styles.
 */
function textsIn(
  field: Field,
  value: unknown,
  isText = field.type.name !== 'rich_text',
  isPhone = field.type.name === 'phone_numbers',
): string[] {
  if (typeof value === 'string') return isText ? [isPhone ? phoneForm(value) : value] : []
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(field, item, isText, isPhone))
  if (typeof value !== 'object' || value === null) return []
  // Postgres does not keep the order of members.
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return members.flatMap(([name, inner]) =>
    field.type.name === 'participants' && name === 'status'
      ? []
      : textsIn(
          field,
          inner,
          field.type.name === 'rich_text' ? name === 'text' : isText,
          isPhone || (field.type.name === 'participants' && name === 'phone_number'),
        ),
  )
}

/**
 * Updates the documents of records in the transaction that writes the records: one row for each record whose words
 * change. The row is indexed later, and is found in the meantime.
 */
export function writeDocuments(
  tx: Tx,
  workspaceId: string,
  object: ObjectModel,
  before: readonly Documented[],
  after: readonly Documented[],
): Promise<void> {
  // Most texts of a record are in both of its states.
  const known = new Map<string, string[]>()
  const wordsIn = (text: string): string[] => {
    let words = known.get(text)
    if (words === undefined) known.set(text, (words = wordsOf(text)))
    return words
  }
  const rowOf = (record: Documented) => documentRow(workspaceId, object, record, wordsIn)
  return putDocuments(tx, before.map(rowOf), after.map(rowOf))
}

/** Replaces documents. An unchanged document stays in the index. */
export async function putDocuments(
  tx: Tx,
  before: readonly StoredDocument[],
  after: readonly RowOf<'search_document'>[],
): Promise<void> {
  const known = new Map(before.map((row) => [row.record_id, row]))
  const changed = after.filter(({ record_id, title_text, document_text }) => {
    const own = known.get(record_id)
    return own === undefined || own.title_text !== title_text || own.document_text !== document_text
  })
  await Promise.all([
    tx.updateByKey(
      'search_document',
      ['workspace_id', 'record_id'],
      changed.filter(({ record_id }) => known.has(record_id)),
    ),
    tx.insert(
      'search_document',
      changed.filter(({ record_id }) => !known.has(record_id)),
    ),
  ])
}
