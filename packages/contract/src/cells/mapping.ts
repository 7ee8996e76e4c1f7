import type { ObjectSchemaDocument } from '../schema-document.ts'
import { fieldWriter, referencedObject, uniqueFields, writable } from './fields.ts'
import { compileLinked, matchOf, type LinkedReader, type LinkedValue } from './linked-values.ts'
import type { Notation } from './notation.ts'
import { compileSource, type Source } from './template.ts'
import { CellFault } from './cell-fault.ts'
import { isNothing, type CellText, type Writer } from './values.ts'

/** A source, which is a column or a text with columns in braces, and the field (and part of it) that it fills. */
export type MapOption = { readonly source: string; readonly field: string; readonly part: string | undefined }

/** Reads the target of a source, `field` or `field.part`; undefined where it is neither. */
export function readTarget(source: string, target: string): MapOption | undefined {
  const [field = '', part, ...rest] = target.trim().split('.')
  return source === '' || field === '' || part === '' || rest.length > 0 ? undefined : { source, field, part }
}

/** A mapping that does not fit the file or the object. */
export class MappingFault extends Error {
  override readonly name = 'MappingFault'
  /** A sentence for each fault. */
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.faults = faults
  }
}

type Entry = { readonly source: Source; readonly part: string | undefined }

/** A field, and the columns that fill it: with a value, or with the record that a value of it finds. */
type Target = { readonly name: string; readonly entries: readonly Entry[] } & (
  | { readonly writer: Writer }
  | { readonly linked: LinkedReader }
)

/** The attributes of a row, and the records among them that are named by value, by field. */
export type Mapped = {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly linked: Readonly<Record<string, LinkedValue>>
}

type MappedRow = Mapped | { readonly faults: readonly string[] }

/** The mapping of the rows of one file to the attributes of one object. */
export type Mapping = {
  readonly map: (cells: readonly string[]) => MappedRow
  readonly unused: readonly string[]
  /** Fields that hold several items, and that several columns fill. */
  readonly gathered: readonly string[]
}

export type MappingOptions = {
  readonly maps: readonly MapOption[]
  readonly notation: Notation
  readonly matchOn: string | undefined
  /** True if an empty cell empties what it is mapped to; otherwise it changes nothing. */
  readonly clearEmpty: boolean
  /** True if linked records that are not found are created. */
  readonly createMissing: boolean
}

/** The schemas of the objects at the other end of relationships, by their names. */
export type LinkedSchemas = ReadonlyMap<string, ObjectSchemaDocument>

/** Lists the objects whose records a mapping names by value: `company_id.domains` names a company. */
export const linkedObjects = (maps: readonly MapOption[], schema: ObjectSchemaDocument): string[] => [
  ...new Set(maps.flatMap(({ field, part }) => (part === undefined ? [] : (referencedObject(schema, field) ?? [])))),
]

/** Fits the mapping to the file and to the object; throws one MappingFault that names everything that does not fit. */
export function compileMapping(
  { maps, ...options }: MappingOptions,
  header: readonly string[],
  schema: ObjectSchemaDocument,
  linkedSchemas: LinkedSchemas = new Map(),
): Mapping {
  const faults: string[] = []
  const targets = [...Map.groupBy(maps, ({ field }) => field)].flatMap(([name, those]): Target[] => {
    const entries = those.flatMap(({ source: text, part }): Entry[] => {
      const source = compileSource(text, header, faults)
      return source === undefined ? [] : [{ source, part }]
    })
    const parts = those.map(({ part }) => part)
    const linkedSchema = linkedSchemas.get(referencedObject(schema, name) ?? '')
    if (linkedSchema !== undefined && parts.every((part) => part !== undefined)) {
      const linked = compileLinked(linkedSchema, parts, options.createMissing, faults)
      return linked === undefined ? [] : [{ name, entries, linked }]
    }
    const writers = parts.map((part) => fieldWriter(schema, name, part, faults))
    const writer = writers.find((one) => one !== undefined)
    if (writer === undefined || writers.includes(undefined)) return []
    checkParts(name, writer, parts, faults)
    return [{ name, entries, writer }]
  })
  if (options.matchOn !== undefined) checkMatch(options.matchOn, schema, maps, faults)
  if (faults.length > 0)
    throw new MappingFault([
      ...faults,
      `Columns: ${header.join(', ')}.`,
      `Fields of ${schema.title}: ${writable(schema).join(', ')}.`,
    ])
  const used = new Set(targets.flatMap(({ entries }) => entries.flatMap(({ source }) => source.columns)))
  return {
    gathered: targets.flatMap((target) =>
      'writer' in target && target.writer.several === true && target.entries.length > 1 ? [target.name] : [],
    ),
    unused: header.filter((_, index) => !used.has(index)),
    map: (cells) => mapRow(targets, cells, { width: header.length, ...options }),
  }
}

function checkParts(name: string, writer: Writer, parts: readonly (string | undefined)[], faults: string[]): void {
  const mixed =
    writer.several !== true && parts.length > 1 && (parts.includes(undefined) || new Set(parts).size < parts.length)
  if (mixed) faults.push(`Several columns are mapped to "${name}"; join them in one source: {First} {Second}.`)
}

function checkMatch(matchOn: string, schema: ObjectSchemaDocument, maps: readonly MapOption[], faults: string[]): void {
  const unique = uniqueFields(schema)
  if (!unique.includes(matchOn)) {
    faults.push(
      `Records are matched by a unique field, and "${matchOn}" of ${schema.title} is not unique; ` +
        `${unique.length === 0 ? 'it has none' : `unique: ${unique.join(', ')}`}.`,
    )
  } else if (!maps.some(({ field }) => field === matchOn)) {
    faults.push(`Records are matched by "${matchOn}": map a column to it.`)
  }
}

type RowOptions = Omit<MappingOptions, 'maps'> & { readonly width: number }

function mapRow(
  targets: readonly Target[],
  cells: readonly string[],
  { width, notation, matchOn, clearEmpty }: RowOptions,
): MappedRow {
  if (cells.length !== width) return { faults: [`The row has ${cells.length} cells, but the first line has ${width}.`] }
  const attributes: Record<string, unknown> = {}
  const linked: Record<string, LinkedValue> = {}
  const faults: string[] = []
  for (const target of targets) {
    const { name } = target
    const all = target.entries.map(({ source, part }): CellText => ({ part, text: source.textOf(cells) }))
    const filled = all.filter(({ text }) => text.trim() !== '')
    try {
      const found = 'linked' in target ? target.linked(filled, notation) : null
      if (found !== null) linked[name] = found
      const value =
        'writer' in target && filled.length > 0
          ? target.writer.write(clearEmpty ? all : filled, notation)
          : found && matchOf(found)
      if (!isNothing(value)) attributes[name] = value
      else if (clearEmpty) attributes[name] = null
    } catch (error) {
      if (!(error instanceof CellFault)) throw error
      faults.push(`${name}: ${error.message}`)
    }
  }
  // Without a value to match on it would be a new record with every import.
  if (matchOn !== undefined && (attributes[matchOn] ?? null) === null && faults.length === 0)
    faults.push(`${matchOn}: The value to match on is missing.`)
  if (Object.values(attributes).every((value) => value === null) && faults.length === 0)
    faults.push('All mapped cells are empty.')
  return faults.length === 0 ? { attributes, linked } : { faults }
}
