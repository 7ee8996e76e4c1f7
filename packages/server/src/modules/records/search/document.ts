import type { FieldTypeName } from '@kontor/contract'
import type { Row } from '../../../db/tx.ts'
import type { Field } from '../fields/field-type.ts'
import type { ObjectModel } from '../object.ts'
import type { RecordRow } from '../store.ts'
import { wordsOf } from './words.ts'

/** What a document is made of. */
export type Documented = Pick<RecordRow, 'id' | 'created_at' | 'data'>

/** Searched unless `xSvcSearchable` is false: what people call a record by, and where they find it. */
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

/** Searched where `xSvcSearchable` is true. Others have no words. */
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

const searchedAs = ({ key, type, primary }: Field): string => `${key} ${type.name} ${primary}`

/** Whether records are found by other words after a change of their object. Fields that are new have no values yet. */
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

/** A record is found by its first so many characters; a longer document would cost more to keep than anybody gains by it. */
const documentCharactersMax = 10_000

/**
 * The row by which a record is found: the words of its primary field in their order, and every word that it has, each once. All
 * stand between spaces, so that a text tells where a word begins and ends.
 */
export function documentRow(workspaceId: string, object: ObjectModel, { id, created_at, data }: Documented): Row {
  const fields = object.attributes.filter(isSearched)
  const words = (some: readonly Field[]): string[] =>
    some.flatMap((field) => textsIn(field, data[field.key]).flatMap(wordsOf))
  const primary = fields.filter((field) => field.primary)
  const title = spaced(primary.flatMap((field) => wordsOf(titleOf(field, data[field.key]))))
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

/** What a list shows of a primary field. */
function titleOf({ type }: Field, value: unknown): string {
  const shown = type.path.reduce<unknown>(
    (inner, member) => (inner as Record<string, unknown> | undefined)?.[member],
    value ?? undefined,
  )
  return typeof shown === 'string' ? shown : ''
}

/** All texts in a value; of rich text, what is written, without ids and styles. */
function textsIn(field: Field, value: unknown, isText = field.type.name !== 'rich_text'): string[] {
  if (typeof value === 'string') return isText ? [value] : []
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(field, item, isText))
  if (typeof value !== 'object' || value === null) return []
  // Postgres returns members in an order of its own.
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return members.flatMap(([name, inner]) =>
    field.type.name === 'participants' && name === 'status'
      ? []
      : textsIn(field, inner, field.type.name === 'rich_text' ? name === 'text' : isText),
  )
}
