import type { RecordResource } from '@kontor/contract'
import type { Field, ObjectModel } from '../../records/index.ts'

/** A column of a file, and what a record has in it. */
export type CsvColumn = { readonly name: string; readonly valueOf: (attributes: RecordResource['attributes']) => unknown }

/** What separates several items of one field, as the import takes them. */
const separator = '; '

/** What every record has, around its own attributes. */
const first = ['_id'] as const
const last = ['_created_at', '_created_by', '_updated_at', '_updated_by'] as const

const plain = (name: string): CsvColumn => ({ name, valueOf: (attributes) => attributes[name] })

/** The columns of a file: each attribute, and behind it the parts that it is sorted and filtered by as well. */
export function columnsOf({ attributes }: ObjectModel, shown: ReadonlySet<string> | undefined): CsvColumn[] {
  const fields = attributes.filter(({ name }) => shown?.has(name) !== false)
  return [...first.map(plain), ...fields.flatMap(columnsOfField), ...last.map(plain)]
}

function columnsOfField({ name, type }: Field): CsvColumn[] {
  const parts = (type.parts ?? []).map((part): CsvColumn => ({ name: `${name}.${part}`, valueOf: (attributes) => memberOf(attributes[name], part) }))
  return [{ name, valueOf: (attributes) => flat(type.path.reduce(memberOf, attributes[name])) }, ...parts]
}

const memberOf = (value: unknown, name: string): unknown => (value as Readonly<Record<string, unknown>> | null | undefined)?.[name]

/** A value as one cell has it: items beside each other, objects as JSON. */
function flat(value: unknown): unknown {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(separator)
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}
