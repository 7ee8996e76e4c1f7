import type { Field, IndexKind } from '../fields/field-type.ts'
import type { ObjectModel } from '../object.ts'
import type { Column } from '../query/columns.ts'

/** An index on one column of an object's records. */
export type FieldIndex = { readonly column: Column; readonly kind: IndexKind }

/** What a column is called in the index tables: a field by its key there, which never changes, a system column by its name. */
export const keyOf = (column: Column): string => (column.kind === 'field' ? column.field.indexKey : column.name)

/** The name under which the rows of a column stand in the index tables. */
export const placeOf = (object: Pick<ObjectModel, 'key'>, column: Column): string => `${object.key}.${keyOf(column)}`

/** The kinds of index that a column can have. Ids and times stand in indexes of the records themselves. */
export const kindsOf = (column: Column): readonly IndexKind[] =>
  column.kind === 'field'
    ? column.field.type.indexes
    : column.column === 'created_by' || column.column === 'updated_by'
      ? ['text']
      : []

/** The kind of index that holds a column's values in order, if one does. */
export const orderedKind = (column: Column): 'text' | 'number' | undefined =>
  kindsOf(column).find((kind) => kind === 'text' || kind === 'number')

/** The indexes that a primary field has from the first record on: lists are sorted by it. */
export const primaryIndexes = (field: Field): FieldIndex[] =>
  field.type.indexes
    .filter((kind) => kind !== 'grams')
    .map((kind) => ({ column: { kind: 'field', name: field.name, field }, kind }))

/** The indexes that every record of an object is in, also those that it is about to have. */
export const firstIndexes = ({ attributes, evolution }: ObjectModel): FieldIndex[] =>
  [...attributes.filter((field) => field.primary), ...(evolution?.indexed ?? [])].flatMap(primaryIndexes)

export const isFirstIndex = (column: Column, kind: IndexKind): boolean =>
  column.kind === 'field' && column.field.primary && kind !== 'grams'
