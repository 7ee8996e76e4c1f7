import { joinedItems, type RecordResource } from '@kontor/contract'
import { memberOf } from '../../../lib/guards.ts'
import { isToMany, type ObjectModel } from '../../objects/index.ts'
import type { Inclusion, ShownFields } from '../../query/index.ts'
import type { Field } from '../../fields/index.ts'
import { cellOf } from './cells.ts'

/** A record as in an answer, also below another record. */
type Shown = Pick<RecordResource, 'relationships'> & { readonly attributes: Readonly<Record<string, unknown>> }

/** A column of a file, and its value for a record. */
export type CsvColumn = { readonly name: string; readonly valueOf: (record: Shown) => unknown }

/** Columns of every record, around its own attributes. */
const first = ['_id'] as const
const last = ['_created_at', '_created_by', '_updated_at', '_updated_by'] as const

const plain = (name: string): CsvColumn => ({ name, valueOf: ({ attributes }) => attributes[name] })

/** The columns of a file: each attribute, followed by the parts that it can also be sorted and filtered by. */
export const columnsOf = (object: ObjectModel, shown: ReadonlySet<string> | undefined): CsvColumn[] => [
  ...first.map(plain),
  ...ownColumns(object, shown),
  ...last.map(plain),
]

const ownColumns = ({ attributes }: ObjectModel, shown: ReadonlySet<string> | undefined): CsvColumn[] =>
  attributes.filter(({ name }) => shown?.has(name) !== false).flatMap(columnsOfField)

/**
 * The columns of related records, by the path to them: their ids and their attributes. A to-many relationship also has
 * a column with the total, since the cells hold no more records than an include.
 */
export const includedColumns = (inclusions: readonly Inclusion[], shown: ShownFields): CsvColumn[] =>
  inclusions.flatMap(({ field, target, children }) => {
    const { name } = field
    const own = [
      ...first.map(plain),
      ...ownColumns(target, shown.get(target.name)),
      ...includedColumns(children, shown),
    ]
    const count: CsvColumn = {
      name: `${name}._count`,
      valueOf: ({ relationships }) => relationships[name]?.meta?.count,
    }
    return [...(isToMany(field) ? [count] : []), ...own.map((column) => below(name, column))]
  })

/** A column of related records; the values of several records share one cell. */
const below = (name: string, column: CsvColumn): CsvColumn => ({
  name: `${name}.${column.name}`,
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

function columnsOfField(field: Field): CsvColumn[] {
  const { name, type } = field
  const parts = (type.parts ?? []).map((part): CsvColumn => ({
    name: `${name}.${part}`,
    valueOf: ({ attributes }) => memberOf(attributes[name], part),
  }))
  return [{ name, valueOf: ({ attributes }) => cellOf(type, attributes[name]) }, ...parts]
}
