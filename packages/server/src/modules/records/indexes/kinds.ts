import type { IndexKind } from '../fields/field-type.ts'
import type { ObjectModel } from '../object.ts'
import type { Column } from '../query/columns.ts'

/** An index on one column of an object's records. */
export type FieldIndex = { readonly column: Column; readonly kind: IndexKind }

/** What a column is called in the index tables: a field by its key, which never changes, a system column by its name. */
export const keyOf = (column: Column): string => (column.kind === 'field' ? column.field.key : column.name)

/** The name under which the rows of a column stand in the index tables. */
export const placeOf = (objectName: string, column: Column): string => `${objectName}.${keyOf(column)}`

/** The kinds of index that a column can have. Ids and times stand in indexes of the records themselves. */
export const kindsOf = (column: Column): readonly IndexKind[] =>
  column.kind === 'field' ? column.field.type.indexes : column.column === 'created_by' || column.column === 'updated_by' ? ['text'] : []

/** The kind of index that holds a column's values in order, if one does. */
export const orderedKind = (column: Column): 'text' | 'number' | undefined => kindsOf(column).find((kind) => kind === 'text' || kind === 'number')

/** The indexes that an object has from its first record on: those of its primary field, by which lists are sorted. */
export const firstIndexes = (object: ObjectModel): FieldIndex[] =>
  object.attributes
    .filter((field) => field.primary)
    .flatMap((field) => field.type.indexes.filter((kind) => kind !== 'grams').map((kind) => ({ column: { kind: 'field', name: field.name, field }, kind })))

export const isFirstIndex = (column: Column, kind: IndexKind): boolean => column.kind === 'field' && column.field.primary && kind !== 'grams'
