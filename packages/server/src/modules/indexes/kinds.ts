import type { Field, IndexKind } from '../fields/index.ts'
import type { ObjectModel, Column } from '../objects/index.ts'

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
