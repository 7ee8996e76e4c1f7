import { suggestion } from '../nearest.ts'
import type { ObjectSchemaDocument } from '../schema-document.ts'
import { CellFault } from './cell-fault.ts'
import { fieldOf, isToMany, uniqueFields } from './fields.ts'
import { compileLinked, matchOf, type LinkedValue } from './linked-values.ts'
import { MappingFault, type MapOption, type Mapping, type MappingOptions } from './mapping.ts'
import type { Notation } from './notation.ts'
import { compileSource } from './template.ts'

export type LinkMappingOptions = Pick<MappingOptions, 'maps' | 'notation' | 'createMissing'> & {
  readonly object: string
  /** The field of the object along which records are linked. */
  readonly relationship: string
}

/** One end of a link: the id of a record, or a value that finds it. */
type Linkable = string | LinkedValue

/** Reads one end of the link in a row; throws a CellFault where the row does not name it. */
type End = { readonly read: (cells: readonly string[]) => Linkable; readonly columns: readonly number[] }

/** Finds the object at the other end of a relationship to many; throws a MappingFault for any other field. */
export function linkedObject(schema: ObjectSchemaDocument, relationship: string): string {
  const field = fieldOf(schema, relationship)
  const many = Object.entries(schema.properties).flatMap(([name, one]) => (isToMany(one) ? [name] : []))
  if (field?.xSvcRelationship === undefined)
    throw new MappingFault([
      `${schema.title} has no relationship "${relationship}".${suggestion(relationship, many)} ` +
        `Its relationships to many: ${many.join(', ') || 'none'}.`,
    ])
  if (!isToMany(field))
    throw new MappingFault([
      `"${relationship}" of ${schema.title} leads to one record; import it with the records: map a column to it.`,
    ])
  return field.xSvcRelationship.entity
}

/**
 * Fits the mapping of a file of links to both ends, which are named by the object and by the relationship. A row
 * becomes the records to link, by these names.
 */
export function compileLinks(
  { maps, object, relationship, createMissing, notation }: LinkMappingOptions,
  header: readonly string[],
  schema: ObjectSchemaDocument,
  other: ObjectSchemaDocument,
): Mapping {
  const faults: string[] = []
  const mapsOf = (name: string): MapOption[] => maps.filter(({ field }) => field === name)
  const context = { header, createMissing, notation, faults }
  const from = compileEnd(schema, object, mapsOf(object), context)
  const to = compileEnd(other, relationship, mapsOf(relationship), context)
  for (const { field } of maps)
    if (field !== object && field !== relationship)
      faults.push(`A link joins "${object}" and "${relationship}"; "${field}" is neither.`)
  if (from === undefined || to === undefined || faults.length > 0)
    throw new MappingFault([...faults, `Columns: ${header.join(', ')}.`])
  const used = new Set([...from.columns, ...to.columns])
  const ends = [
    [object, from],
    [relationship, to],
  ] as const
  return {
    gathered: [],
    unused: header.filter((_, index) => !used.has(index)),
    map: (cells) => mapLink(ends, cells, header.length),
  }
}

function mapLink(
  ends: readonly (readonly [name: string, end: End])[],
  cells: readonly string[],
  width: number,
): ReturnType<Mapping['map']> {
  if (cells.length !== width) return { faults: [`The row has ${cells.length} cells, but the first line has ${width}.`] }
  const attributes: Record<string, unknown> = {}
  const linked: Record<string, LinkedValue> = {}
  try {
    for (const [name, { read }] of ends) {
      const found = read(cells)
      attributes[name] = typeof found === 'string' ? found : matchOf(found)
      if (typeof found !== 'string') linked[name] = found
    }
    return { attributes, linked }
  } catch (error) {
    if (!(error instanceof CellFault)) throw error
    return { faults: [error.message] }
  }
}

type Context = {
  readonly header: readonly string[]
  readonly createMissing: boolean
  readonly notation: Notation
  readonly faults: string[]
}

/** Compiles the columns that name one end of a link. Faults go to `faults`. */
function compileEnd(
  schema: ObjectSchemaDocument,
  name: string,
  maps: readonly MapOption[],
  { header, createMissing, notation, faults }: Context,
): End | undefined {
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
  const textsOf = (cells: readonly string[]) =>
    entries.map(({ source, part }) => ({ part, text: source.textOf(cells) }))
  return read && { columns, read: (cells) => read(textsOf(cells), notation) ?? empty(name) }
}

function missingMap(schema: ObjectSchemaDocument, name: string): string {
  const [unique] = uniqueFields(schema)
  return `Map a column to the ${schema.title}: "${unique === undefined ? name : `${name}.${unique}`}".`
}

function empty(name: string): never {
  throw new CellFault(`${name}: The cell that names the record is empty.`)
}
