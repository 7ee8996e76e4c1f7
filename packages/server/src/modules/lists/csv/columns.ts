import type { RecordResource } from '@kontor/contract'
import { memberOf } from '../../../lib/guards.ts'
import { isToMany, type ObjectModel } from '../../objects/index.ts'
import type { Field } from '../../fields/index.ts'
import type { Inclusion, ShownFields } from '../../query/index.ts'

/** A record as in an answer, also below another record. */
type Shown = Pick<RecordResource, 'relationships'> & { readonly attributes: Readonly<Record<string, unknown>> }

/** A column of a file, and its value for a record. */
export type CsvColumn = { readonly name: string; readonly valueOf: (record: Shown) => unknown }

/** Separator of several items of one field, as the import accepts it. */
const separator = '; '

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
    const related = [relationships[name]?.data ?? []]
      .flat()
      .filter((one): one is typeof one & Shown => one.attributes !== undefined)
    if (related.length < 2)
      return related[0] && column.valueOf({ ...related[0], relationships: related[0].relationships ?? {} })
    return related
      .map((one) => column.valueOf({ ...one, relationships: one.relationships ?? {} }))
      .map(cellText)
      .join(separator)
  },
})

const cellText = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value)

function columnsOfField({ name, type }: Field): CsvColumn[] {
  const parts = (type.parts ?? []).map((part): CsvColumn => ({
    name: `${name}.${part}`,
    valueOf: ({ attributes }) => memberOf(attributes[name], part),
  }))
  return [{ name, valueOf: ({ attributes }) => flat(type.path.reduce(memberOf, attributes[name])) }, ...parts]
}

const isParticipant = (item: unknown): item is { readonly email: string } => typeof memberOf(item, 'email') === 'string'

/** The value of a cell: items joined in one text, objects as JSON. */
function flat(value: unknown): unknown {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(separator)
  if (Array.isArray(value) && value.every(isParticipant)) return value.map(({ email }) => email).join(separator)
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}
