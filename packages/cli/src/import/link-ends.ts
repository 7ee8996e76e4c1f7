import type { ObjectSchemaDocument } from '@kontor/contract'
import {
  CellFault,
  type LinkedValue,
  type MapOption,
  type Notation,
  compileLinked,
  compileSource,
  uniqueFields,
} from '@kontor/contract/cells'

/** One end of a link: the id of a record, or a value that finds it. */
export type Linkable = string | LinkedValue

/** Reads one end of the link that a row holds; throws a CellFault where the row does not name it. */
export type End = (cells: readonly string[], notation: Notation) => Linkable

type Context = {
  readonly header: readonly string[]
  readonly createMissing: boolean
  readonly faults: string[]
}

/** Compiles the columns that name one end of a link. What is wrong goes to `faults`. */
export function compileEnd(
  schema: ObjectSchemaDocument,
  name: string,
  maps: readonly MapOption[],
  { header, createMissing, faults }: Context,
): { readonly read: End; readonly columns: readonly number[] } | undefined {
  const entries = maps.flatMap(({ source: text, part }) => {
    const source = compileSource(text, header, faults)
    return source === undefined ? [] : [{ source, part }]
  })
  if (entries.length < maps.length) return undefined
  const columns = entries.flatMap(({ source }) => source.columns)
  const [only, ...others] = entries
  if (only === undefined) return void faults.push(missingMap(schema, name))
  if (only.part === undefined && others.length === 0)
    return { columns, read: (cells) => only.source.textOf(cells).trim() || empty(name) }
  const parts = entries.map(({ part }) => part)
  if (!parts.every((part) => part !== undefined))
    return void faults.push(`Map either the id of "${name}" or a unique field of it, not both.`)
  const read = compileLinked(schema, parts, createMissing, faults)
  return (
    read && {
      columns,
      read: (cells, notation) =>
        read(
          entries.map(({ source, part }) => ({ part, text: source.textOf(cells) })),
          notation,
        ) ?? empty(name),
    }
  )
}

function missingMap(schema: ObjectSchemaDocument, name: string): string {
  const [unique] = uniqueFields(schema)
  const end = unique === undefined ? name : `${name}.${unique}`
  return `Say which column names the ${schema.title}: --map 'Column=${end}'.`
}

function empty(name: string): never {
  throw new CellFault(`${name}: The cell that names the record is empty.`)
}
