import { joinedItems, type CellType, type RecordResource } from '@kontor/contract'
import { memberOf, isRecord, itemsOf } from '../../../lib/guards.ts'
import { isToMany, type ObjectModel } from '../../objects/index.ts'
import type { Inclusion, ShownFields } from '../../query/index.ts'
import type { Field, FieldType } from '../../fields/index.ts'

/** A record as in an answer, also below another record. */
type Shown = Pick<RecordResource, 'relationships'> & { readonly attributes: Readonly<Record<string, unknown>> }

/** A column of a file, and its value for a record. */
export type RecordColumn = {
  readonly name: string
  readonly type: CellType
  readonly valueOf: (record: Shown) => unknown
}

/** Columns of every record, around its own attributes. */
const first = ['_id'] as const
const last = ['_created_at', '_created_by', '_updated_at', '_updated_by'] as const

const plain = (name: string): RecordColumn => ({
  name,
  type: name.endsWith('_at') ? 'timestamp' : 'text',
  valueOf: ({ attributes }) => attributes[name],
})

/** The columns of a file: those of the records, and those of the related records that are included. */
export const recordColumns = (
  object: ObjectModel,
  inclusions: readonly Inclusion[],
  shown: ShownFields,
): RecordColumn[] => [...columnsOf(object, shown.get(object.name)), ...includedColumns(inclusions, shown)]

/** The columns of a file: each attribute, followed by the parts that it can also be sorted and filtered by. */
const columnsOf = (object: ObjectModel, shown: ReadonlySet<string> | undefined): RecordColumn[] => [
  ...first.map(plain),
  ...ownColumns(object, shown),
  ...last.map(plain),
]

const ownColumns = ({ attributes }: ObjectModel, shown: ReadonlySet<string> | undefined): RecordColumn[] =>
  attributes.filter(({ name }) => shown?.has(name) !== false).flatMap(columnsOfField)

/**
 * The columns of related records, by the path to them: their ids and their attributes. A to-many relationship also has
 * a column with the total, since the cells hold no more records than an include.
 */
const includedColumns = (inclusions: readonly Inclusion[], shown: ShownFields): RecordColumn[] =>
  inclusions.flatMap(({ field, target, children }) => {
    const { name } = field
    const own = [
      ...first.map(plain),
      ...ownColumns(target, shown.get(target.name)),
      ...includedColumns(children, shown),
    ]
    const count: RecordColumn = {
      name: `${name}._count`,
      type: 'number',
      valueOf: ({ relationships }) => relationships[name]?.meta?.count,
    }
    return [...(isToMany(field) ? [count] : []), ...own.map((column) => below(name, column))]
  })

/** A column of related records; the values of several records share one cell. */
const below = (name: string, column: RecordColumn): RecordColumn => ({
  name: `${name}.${column.name}`,
  type: 'text',
  valueOf({ relationships }) {
    const data = relationships[name]?.data ?? []
    const values = [data]
      .flat()
      .filter((one): one is typeof one & Shown => one.attributes !== undefined)
      .map((one) => column.valueOf({ ...one, relationships: one.relationships ?? {} }))
    return Array.isArray(data) ? joinedItems(values.map(cellText)) : values[0]
  },
})

const cellText = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value)

function columnsOfField(field: Field): RecordColumn[] {
  const { name, type } = field
  const parts = (type.parts ?? []).map((part): RecordColumn => ({
    name: `${name}.${part}`,
    type: 'text',
    valueOf: ({ attributes }) => memberOf(attributes[name], part),
  }))
  return [{ name, type: typeOf(type), valueOf: ({ attributes }) => cellOf(type, attributes[name]) }, ...parts]
}

/** The types of cells by those of fields; of any other type are texts. */
const cellTypesOfFields: Readonly<Record<string, CellType>> = {
  number: 'number',
  currency: 'number',
  rating: 'number',
  checkbox: 'boolean',
  date: 'date',
  timestamp: 'timestamp',
}

const typeOf = ({ name }: Field['type']): CellType => cellTypesOfFields[name] ?? 'text'

/** The value of a field as a cell: `kontor import` makes the same value of it again (docs/decisions/0231). */
function cellOf({ name, path, comparedAs }: FieldType, value: unknown): unknown {
  if (value === null || value === undefined) return undefined
  // Numbers remain what they are: they need no guard against formulas.
  if (name === 'json') return typeof value === 'number' ? value : JSON.stringify(value)
  if (name === 'location' && typeof value === 'string') return isPlain(value) ? value : JSON.stringify(value)
  if (comparedAs === 'items') return itemsCell(itemsOf(value))
  const shown = path.reduce(memberOf, value)
  return isRecord(shown) ? JSON.stringify(shown) : shown
}

const itemsCell = (items: readonly unknown[]): string =>
  items.every((item) => typeof item === 'string') ? joinedItems(items) : JSON.stringify(items)

/** Returns whether a location is read as this text, not as JSON; the import takes white space off it. */
function isPlain(text: string): boolean {
  if (text !== text.trim()) return false
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed !== 'string' && !isRecord(parsed)
  } catch {
    return true
  }
}
