import { suggestion, type FieldSchema, type ObjectSchemaDocument } from '@kontor/contract'
import { UsageError } from '../errors.ts'
import { compileSource, type Source } from './template.ts'
import { CellFault, writerOf, type CellText, type Writer } from './values.ts'

/** One `--map`: what stands before the last equals sign, and the field (and part of it) after it. */
export type MapOption = { readonly source: string; readonly field: string; readonly part: string | undefined }

/** Reads `Column=field`, `Column=field.part`, `text {Column} text=field`. */
export function parseMapOption(text: string): MapOption {
  const at = text.lastIndexOf('=')
  const source = text.slice(0, at)
  const [field = '', part, ...rest] = text
    .slice(at + 1)
    .trim()
    .split('.')
  if (at < 1 || field === '' || part === '' || rest.length > 0)
    throw new UsageError(`"${text}" is no mapping; write 'Column=field' or 'Column=field.part'.`)
  return { source, field, part }
}

type Target = {
  readonly name: string
  readonly writer: Writer
  readonly entries: { readonly source: Source; readonly part: string | undefined }[]
}

type MappedRow = { readonly attributes: Record<string, unknown> } | { readonly faults: readonly string[] }

/** How the rows of one file become attributes of one object. */
export type Mapping = {
  readonly map: (cells: readonly string[]) => MappedRow
  readonly unused: readonly string[]
  /** Fields that hold several items, and that several columns fill. */
  readonly gathered: readonly string[]
}

export type MappingOptions = {
  readonly maps: readonly MapOption[]
  readonly separator: string
  readonly matchOn: string | undefined
  /** True if an empty cell empties what it is mapped to; otherwise it changes nothing. */
  readonly clearEmpty: boolean
}

/** Fits the mapping to the file and to the object; throws one UsageError that names everything that does not fit. */
export function compileMapping(
  { maps, ...options }: MappingOptions,
  header: readonly string[],
  schema: ObjectSchemaDocument,
): Mapping {
  const faults: string[] = []
  const targets = new Map<string, Target>()
  for (const { source: text, field, part } of maps) {
    const source = compileSource(text, header, faults)
    const writer = fieldWriter(schema, field, part, faults)
    if (source === undefined || writer === undefined) continue
    const target: Target = targets.get(field) ?? { name: field, writer, entries: [] }
    target.entries.push({ source, part })
    targets.set(field, target)
  }
  for (const target of targets.values()) checkEntries(target, faults)
  if (options.matchOn !== undefined) checkMatch(options.matchOn, schema, maps, faults)
  if (faults.length > 0)
    throw new UsageError(
      [...faults, `Columns: ${header.join(', ')}`, `Fields of ${schema.title}: ${writable(schema).join(', ')}`].join(
        '\n',
      ),
    )
  const used = new Set([...targets.values()].flatMap(({ entries }) => entries.flatMap(({ source }) => source.columns)))
  return {
    gathered: [...targets.values()].flatMap(({ name, writer, entries }) =>
      writer.several === true && entries.length > 1 ? [name] : [],
    ),
    unused: header.filter((_, index) => !used.has(index)),
    map: (cells) => mapRow([...targets.values()], cells, { width: header.length, ...options }),
  }
}

const isToMany = ({ xSvcRelationship }: FieldSchema): boolean =>
  xSvcRelationship !== undefined && xSvcRelationship.kind.endsWith('-to-many')

const writable = ({ properties }: ObjectSchemaDocument): string[] =>
  Object.entries(properties).flatMap(([name, field]) =>
    name.startsWith('_') || field['readOnly'] === true || isToMany(field) ? [] : [name],
  )

/** The writer of a field that can be written; what is wrong goes to `faults`. */
export function fieldWriter(
  schema: ObjectSchemaDocument,
  name: string,
  part: string | undefined,
  faults: string[],
): Writer | undefined {
  const field = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
  const allowed = writable(schema)
  if (field === undefined || !allowed.includes(name)) {
    faults.push(
      field === undefined
        ? `${schema.title} has no field "${name}".${suggestion(name, allowed)}`
        : `The field "${name}" of ${schema.title} cannot be imported.`,
    )
    return undefined
  }
  const writer = writerOf(field)
  if (part === undefined || writer.parts === 'any' || writer.parts?.includes(part)) return writer
  faults.push(
    writer.parts === undefined
      ? `The field "${name}" has no parts; write =${name}.`
      : `"${name}" has no part "${part}"; it has ${writer.parts.join(', ')}.`,
  )
  return undefined
}

function checkEntries({ name, writer, entries }: Target, faults: string[]): void {
  const parts = entries.map(({ part }) => part)
  const mixed =
    writer.several !== true && entries.length > 1 && (parts.includes(undefined) || new Set(parts).size < parts.length)
  if (mixed) faults.push(`Several columns go to "${name}"; join them instead: '{First} {Second}=${name}'.`)
}

function checkMatch(matchOn: string, schema: ObjectSchemaDocument, maps: readonly MapOption[], faults: string[]): void {
  const unique = Object.entries(schema.properties).flatMap(([name, field]) => (field.xSvcUnique === true ? [name] : []))
  if (!unique.includes(matchOn)) {
    faults.push(
      `--match-on needs a unique field, and "${matchOn}" of ${schema.title} is none; ` +
        `${unique.length === 0 ? 'it has none' : `unique: ${unique.join(', ')}`}.`,
    )
  } else if (!maps.some(({ field }) => field === matchOn)) {
    faults.push(`--match-on ${matchOn} needs a column that is mapped to it: --map 'Column=${matchOn}'.`)
  }
}

/** Cells of separators alone hold no items. */
const isNothing = (value: unknown): boolean =>
  value === null ||
  (typeof value === 'object' && 'items' in value && Array.isArray(value.items) && value.items.length === 0)

type RowOptions = Omit<MappingOptions, 'maps'> & { readonly width: number }

function mapRow(
  targets: readonly Target[],
  cells: readonly string[],
  { width, separator, matchOn, clearEmpty }: RowOptions,
): MappedRow {
  if (cells.length !== width) return { faults: [`The row has ${cells.length} cells, the first line ${width}.`] }
  const attributes: Record<string, unknown> = {}
  const faults: string[] = []
  for (const { name, writer, entries } of targets) {
    const all = entries.map(({ source, part }): CellText => ({ part, text: source.textOf(cells) }))
    const filled = all.filter(({ text }) => text.trim() !== '')
    try {
      const value = filled.length === 0 ? null : writer.write(clearEmpty ? all : filled, separator)
      if (!isNothing(value)) attributes[name] = value
      else if (clearEmpty) attributes[name] = null
    } catch (error) {
      if (!(error instanceof CellFault)) throw error
      faults.push(`${name}: ${error.message}`)
    }
  }
  // Without a value to match on it would be a new record with every import.
  if (matchOn !== undefined && (attributes[matchOn] ?? null) === null && faults.length === 0)
    faults.push(`${matchOn}: There is no value to match on.`)
  if (Object.values(attributes).every((value) => value === null) && faults.length === 0)
    faults.push('All mapped cells are empty.')
  return faults.length === 0 ? { attributes } : { faults }
}
