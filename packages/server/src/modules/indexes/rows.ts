import type { RowOf } from '../../db/columns.ts'
import { fold } from '../../db/fold.ts'
import type { Field, RecordData, IndexKind } from '../fields/index.ts'
import type { ObjectModel, RecordRow, Column } from '../objects/index.ts'
import { gramsOf, unknownGram } from './grams.ts'
import { createHash } from 'node:crypto'
import { visiblePart } from '@kontor/contract'
import { isString, memberOf } from '../../lib/guards.ts'

/** An index on one column of an object's records. */
export type FieldIndex = { readonly column: Column; readonly kind: IndexKind }

/** The key of a column in the index tables: a field's own key, which never changes, or the name of a system column. */
export const keyOf = (column: Column): string => (column.kind === 'field' ? column.field.indexKey : column.name)

/** The name of a column of an object in the index tables. */
export const indexedColumn = (object: Pick<ObjectModel, 'key'>, column: Column): string =>
  `${object.key}.${keyOf(column)}`

/** The kinds of index that a column can have. Ids and times have indexes on the record table itself. */
export const kindsOf = (column: Column): readonly IndexKind[] =>
  column.kind === 'field'
    ? column.field.type.indexes
    : column.column === 'created_by' || column.column === 'updated_by'
      ? ['text']
      : []

/** The kind of ordered index that a column can have, if any. */
export const orderedKind = (column: Column): 'text' | 'number' | undefined =>
  kindsOf(column).find((kind) => kind === 'text' || kind === 'number')

/** The indexes of a primary field, which exist from the first record on: lists are sorted by it. */
export const primaryIndexes = (field: Field): FieldIndex[] =>
  field.type.indexes
    .filter((kind) => kind !== 'grams')
    .map((kind) => ({ column: { kind: 'field', name: field.name, field }, kind }))

/** The indexes that exist for every record of an object, including those of a pending schema change. */
export const builtInIndexes = ({ attributes, evolution }: ObjectModel): FieldIndex[] =>
  [...attributes.filter((field) => field.primary), ...(evolution?.indexed ?? [])].flatMap(primaryIndexes)

export const isBuiltInIndex = (column: Column, kind: IndexKind): boolean =>
  column.kind === 'field' && column.field.primary && kind !== 'grams'

/** The parts of a record that its index rows are made of. */
export type Indexable = Pick<RecordRow, 'id' | 'visibility' | 'data' | 'created_at' | 'created_by' | 'updated_by'>

export const indexTables = ['field_text', 'field_number', 'field_gram'] as const

export type IndexTable = (typeof indexTables)[number]

export type IndexRows = { readonly [T in IndexTable]: RowOf<T>[] }

/** The rows of records in some indexes. */
export function indexRows(
  workspaceId: string,
  object: ObjectModel,
  indexes: readonly FieldIndex[],
  records: readonly Indexable[],
): IndexRows {
  const rows: IndexRows = { field_text: [], field_number: [], field_gram: [] }
  for (const index of indexes) {
    const own = { workspace_id: workspaceId, field: indexedColumn(object, index.column) }
    for (const record of records) {
      const { id: record_id, visibility } = record
      if (index.kind === 'grams') rows.field_gram.push(...gramRows(own, index, record))
      else if (index.kind === 'number')
        for (const [is_null, number_value] of ordered(numbersOf(index, record), 0))
          rows.field_number.push({ ...own, is_null, number_value, record_id, visibility })
      else
        for (const [is_null, text_value] of ordered(textsOf(index, record), ''))
          rows.field_text.push({ ...own, is_null, text_value, record_id, visibility })
    }
  }
  return rows
}

type Own = { readonly workspace_id: string; readonly field: string }

/** `is_null` and the value of each row: one row for each value, or one null row if there is no value. */
const ordered = <V>(values: readonly V[], none: V): [number, V][] =>
  values.length === 0 ? [[1, none]] : values.map((value) => [0, value])

function textsOf({ column }: FieldIndex, record: Indexable): string[] {
  if (column.kind === 'field') return indexTexts(column.field, record.data)
  const id = column.column === 'created_by' ? record.created_by : record.updated_by
  return id === null ? [] : [id]
}

function numbersOf({ column }: FieldIndex, { data }: Indexable): number[] {
  const value = column.kind === 'field' ? valueAt(column.field, data) : undefined
  return typeof value === 'number' ? [value] : typeof value === 'boolean' ? [Number(value)] : []
}

/** Longest text that is stored for trigrams: longer ones would have thousands of trigrams, each an entry to write. */
const knownTextMax = 10_000

/**
 * Separates the items of a collection in the text that is stored for them; a collection with an item that contains it
 * is not stored.
 */
export const itemSeparator = '\u001f'

/** The stored texts of a value for trigram search, in pieces that no match crosses; undefined if nothing is stored. */
function piecesOf(field: Field | undefined, value: unknown): string[] | undefined {
  const pieces =
    typeof value === 'string'
      ? [value]
      : Array.isArray(value) && field !== undefined
        ? itemTexts(field, value)
        : undefined
  const length = pieces?.reduce((sum, piece) => sum + piece.length + 1, 0) ?? 0
  return length - 1 > knownTextMax || (Array.isArray(value) && pieces?.some((piece) => piece.includes(itemSeparator)))
    ? undefined
    : pieces?.map(field?.type.itemForm ?? fold)
}

/**
 * The trigram rows of a value; none without a value. For a value that is no text, or a very long one, the row says only
 * that it exists.
 */
function gramRows(own: Own, { column }: FieldIndex, { id, data, created_at }: Indexable): RowOf<'field_gram'>[] {
  const value = column.kind === 'field' ? valueAt(column.field, data) : undefined
  if (value === undefined) return []
  const scope = gramScope(own.workspace_id, own.field)
  const pieces = piecesOf(column.kind === 'field' ? column.field : undefined, value)
  const known =
    pieces === undefined
      ? { is_known: 0, known_text: '', grams: [unknownGram(scope)] }
      : {
          is_known: 1,
          known_text: pieces.join(itemSeparator),
          grams: [...new Set(pieces.flatMap((piece) => gramsOf(scope, piece)))],
        }
  return [{ ...own, record_id: id, created_at, ...known }]
}

export const gramScope = (workspaceId: string, field: string): string => `${workspaceId}:${field}`

/** Most characters of a text in an index row; equality beyond it is checked against the document. */
export const textValueMax = 128

/** Unique keys above this length are stored as their beginning and a hash. */
const uniqueValueMax = 200

/** Cuts a text by code points, as both databases do. */
export const truncate = (text: string): string =>
  text.length <= textValueMax
    ? text
    : Array.from(text.slice(0, textValueMax * 2))
        .slice(0, textValueMax)
        .join('')

/** The compared part of a stored value; undefined if there is none. */
const valueAt = ({ key, type }: Field, data: RecordData): unknown =>
  type.path.reduce<unknown>(memberOf, data[key] ?? undefined)

/** The texts of a field in the text index: none if the record has no value, one for each item of a collection. */
function indexTexts(field: Field, data: RecordData): string[] {
  if (field.type.comparedAs === 'nothing') return data[field.key] === undefined ? [] : ['']
  return [...new Set(textsAt(field, data).map((text) => truncate(field.type.exact === true ? text : fold(text))))]
}

function textsAt(field: Field, data: RecordData): string[] {
  const value = valueAt(field, data)
  return Array.isArray(value) ? itemTexts(field, value, 1) : typeof value === 'string' ? [value] : []
}

/** The texts of items: the items themselves, or for objects the first of their compared members, up to a number. */
function itemTexts(
  { type: { itemMembers } }: Pick<Field, 'type'>,
  items: readonly unknown[],
  membersMax = Infinity,
): string[] {
  if (itemMembers === undefined) return items.filter(isString)
  return items.flatMap((item) =>
    typeof item === 'string'
      ? [item]
      : itemMembers
          .slice(0, membersMax)
          .map((member) => memberOf(item, member))
          .filter(isString),
  )
}

/** The unique keys of a field's values: for each item of a collection its text, and its form where it has another. */
export function uniqueValues(field: Field, data: RecordData): string[] {
  const value = valueAt(field, data)
  const values = Array.isArray(value)
    ? value.filter(isString)
    : typeof value === 'string' || typeof value === 'number'
      ? [String(value)]
      : []
  const { uniqueForm } = field.type
  const forms = uniqueForm === undefined ? [] : values.map(uniqueForm).filter(isString)
  return [...new Set([...values, ...forms].map(uniqueValue))]
}

/** The unique key of a value, which stands for all that look the same at their ends. */
export function uniqueValue(text: string): string {
  const folded = visiblePart(fold(text))
  return folded.length <= uniqueValueMax
    ? folded
    : `${folded.slice(0, textValueMax)}#${createHash('sha256').update(folded).digest('hex')}`
}
