import type { ColumnDescription } from '@kontor/contract'
import { defined } from '../../lib/guards.ts'
import type { Principal } from '../access/index.ts'
import { type Field, dateOperators, idOperators } from '../fields/index.ts'
import type { ObjectModel } from './object.ts'

/** The object that a reference leads to, and the principal for its records. */
export type ReferenceGuard = { readonly target: ObjectModel; readonly principal: Principal }

/**
 * A column of a field. With a part, it is that text of the field's value (`name.last_name`), and `field` compares by it
 * alone.
 */
type FieldColumn = {
  readonly kind: 'field'
  readonly name: string
  readonly field: Field
  readonly part?: string
  /**
   * Set if the field refers to records of which the caller may not see all: then index entries differ from what the
   * caller sees.
   */
  readonly guard?: ReferenceGuard
}

/** A column that a list is sorted or filtered by: a field of the object, or a system column of every record. */
export type Column =
  | {
      readonly kind: 'system'
      readonly name: string
      readonly column: 'id' | 'created_at' | 'updated_at' | 'created_by' | 'updated_by' | 'deleted_at'
    }
  | FieldColumn

const systemColumns = [
  { kind: 'system', name: '_id', column: 'id' },
  { kind: 'system', name: '_created_at', column: 'created_at' },
  { kind: 'system', name: '_created_by', column: 'created_by' },
  { kind: 'system', name: '_updated_at', column: 'updated_at' },
  { kind: 'system', name: '_updated_by', column: 'updated_by' },
] as const satisfies readonly Column[]

export const isTime = (column: Column): boolean => column.kind === 'system' && column.column.endsWith('_at')

export function findColumn(object: ObjectModel, name: string): Column | undefined {
  const system = systemColumns.find((column) => column.name === name)
  if (system !== undefined) return system
  const field = object.fields.get(name)
  if (field !== undefined && object.attributes.includes(field)) return { kind: 'field', name, field }
  return name.includes('.') ? object.attributes.flatMap(partsOf).find((part) => part.name === name) : undefined
}

/** The columns for the parts of a field's value. They have indexes of their own. */
function partsOf(field: Field): FieldColumn[] {
  const { type, name } = field
  return (type.parts ?? []).map((part) => ({
    kind: 'field',
    name: `${name}.${part}`,
    part,
    field: { ...field, indexKey: partKey(field, part), primary: false, unique: false, type: { ...type, path: [part] } },
  }))
}

const partKey = ({ indexKey }: Pick<Field, 'indexKey'>, part: string): string => `${indexKey}.${part}`

/** The names of a field's values in the index tables, including those of its parts. */
export const indexKeysOf = (field: Field): string[] => [
  field.indexKey,
  ...(field.type.parts ?? []).map((part) => partKey(field, part)),
]

/** The column for a key of the index tables. */
export function columnOfKey(object: ObjectModel, key: string): Column | undefined {
  const system = systemColumns.find((column) => column.name === key)
  const field = object.attributes.find((one) => one.indexKey === key)
  return (
    system ??
    (field
      ? { kind: 'field', name: field.name, field }
      : object.attributes.flatMap(partsOf).find((part) => part.field.indexKey === key))
  )
}

/** Tells whether a record may have several values of the column. */
export const isCollection = (column: Column): boolean =>
  column.kind === 'field' && column.field.type.comparedAs === 'items'

export const isSortable = (column: Column): boolean =>
  column.kind === 'system' || column.field.type.comparedAs !== 'nothing'

export const columnNames = (object: ObjectModel, sortable: boolean): string[] => [
  ...object.attributes
    .filter((field) => !sortable || field.type.comparedAs !== 'nothing')
    .flatMap((field) => [field.name, ...partsOf(field).map(({ name }) => name)]),
  ...systemColumns.map((column) => column.name),
]

export const operatorsOf = (column: Column) =>
  column.kind === 'field' ? column.field.type.operators : isTime(column) ? dateOperators : idOperators

/** Every column of an object, with its operators and whether it can be sorted by. */
export const listColumns = (object: ObjectModel): ColumnDescription[] =>
  columnNames(object, false).map((name) => {
    const column = defined(findColumn(object, name))
    return { name, operators: operatorsOf(column), sortable: isSortable(column) }
  })

/** Tells whether a column compares as a number. */
export const isNumeric = (column: Column): boolean =>
  isTime(column) ||
  (column.kind === 'field' && (column.field.type.comparedAs === 'number' || column.field.type.comparedAs === 'flag'))
