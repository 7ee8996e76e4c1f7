import { type WriteStrategies, type RecordResource } from '@kontor/contract'
import { itemsOf } from '../../../lib/guards.ts'
import { emptyFault, itemsMax, type Field, type ParseContext, type Report } from '../../fields/index.ts'
import { isToMany, type ObjectModel } from '../../objects/index.ts'
import { unknownName, type FaultSink, type FaultText } from './faults.ts'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { workspaceSettings } from '../../schemas/index.ts'

/** One record of a body: `{type, attributes}` and its location. */
export type GivenRecord = {
  readonly type: string
  readonly attributes: RecordResource['attributes'] | Record<string, unknown>
  readonly path: readonly (string | number)[]
}

/** A change of one record of a body. */
export type GivenChange = GivenRecord & { readonly id: string }

type Path = readonly (string | number)[]

/** Values by the field that they are for, in stored form; null clears. */
export type Values = ReadonlyMap<Field, unknown>

export type Strategies = ReadonlyMap<Field, Strategy>

const replacing: Strategies = new Map()

/**
 * Parses the attributes of a body; faults go to `faults` with their pointers. A value that is joined with a stored one
 * is only checked for its type here: `checkWritten` checks the result.
 */
export function parseAttributes(
  object: ObjectModel,
  attributes: Readonly<Record<string, unknown>>,
  path: Path,
  faults: FaultSink,
  context: ParseContext,
  strategies: Strategies = replacing,
): Values {
  const values = new Map<Field, unknown>()
  for (const [name, given] of Object.entries(attributes)) {
    const at = [...path, name]
    const field = writableField(object, name, at, faults)
    if (field === undefined) continue
    const report: Report = (detail, below = []) => faults.add([...at, ...below], detail)
    const value = given === null ? null : field.type.parse(given, field, report, context)
    if (!strategies.has(field)) checkValue(field, given, value, report)
    // Also if it is refused, so that a required field is not reported as missing as well.
    if (value !== undefined) values.set(field, value)
  }
  return values
}

function writableField(object: ObjectModel, name: string, at: Path, faults: FaultSink): Field | undefined {
  const field = object.fields.get(name)
  if (name.startsWith('_')) faults.add(at, 'System attributes cannot be written.')
  else if (field === undefined) faults.add(at, unknownAttribute(object, name))
  else if (isToMany(field))
    faults.add(at, `"${name}" is a relationship to many records; use the operations of relationships.`)
  else if (field.readOnly) faults.add(at, `"${name}" is read-only.`)
  else return field
  return undefined
}

/** The fault of an attribute that does not exist; it lists those that can be written. */
const unknownAttribute = (object: ObjectModel, name: string): FaultText =>
  unknownName(
    `${object.name} has no attribute "${name}".`,
    name,
    [...object.fields.keys()],
    object.attributes.filter((field) => !field.readOnly).map((field) => field.name),
  )

/** Checks a value that replaces what is stored. */
function checkValue(field: Field, given: unknown, value: unknown, report: Report): void {
  if (value !== null && value !== undefined) return field.checks.forEach((check) => check(value, report))
  if (value === undefined) return
  const fault = field.required ? `${field.title} is required.` : given === null ? undefined : emptyFault(field)
  if (fault !== undefined) report(fault)
}

/** Checks the result of a strategy applied to a stored and a given value. */
export function checkWritten(field: Field, value: unknown, at: Path, faults: FaultSink): void {
  if (value === null) {
    if (field.required) faults.add(at, `${field.title} is required.`)
    return
  }
  field.checks.forEach((check) => check(value, (detail) => faults.add(at, detail)))
  const count = field.type.comparedAs === 'items' ? itemsOf(value).length : 0
  if (count > itemsMax)
    faults.add(at, `With the items that are there, ${field.title} would have ${count}; at most ${itemsMax}.`)
}

/** Checks the values of a new record that would have been joined with those of one that exists. */
export function checkAlone(
  { attributes, path }: Pick<GivenRecord, 'attributes' | 'path'>,
  values: Values,
  strategies: Strategies,
  faults: FaultSink,
): void {
  for (const [field, value] of values) {
    const report: Report = (detail, below = []) => faults.add([...path, field.name, ...below], detail)
    if (strategies.has(field)) checkValue(field, attributes[field.name], value, report)
  }
}

/** Adds the default values of a new record. */
export function withDefaults(object: ObjectModel, values: Values, context: ParseContext): Values {
  const missing = object.attributes.filter((field) => field.schema.default !== undefined && !values.has(field))
  if (missing.length === 0) return values
  // A default was parsed like any other value when the schema was accepted.
  return new Map([
    ...values,
    ...missing.map((field): [Field, unknown] => [
      field,
      field.type.parse(field.schema.default, field, () => undefined, context),
    ]),
  ])
}

export function requireAttributes(object: ObjectModel, values: Values, path: Path, faults: FaultSink): void {
  for (const field of object.attributes) {
    if (field.required && !values.has(field) && field.schema.default === undefined)
      faults.add([...path, field.name], `${field.title} is required.`)
  }
}

/**
 * The strategy for each field of a change, by default that of `usual`; a strategy that the field type does not support
 * is a fault.
 */
export function parseStrategies(
  object: ObjectModel,
  strategies: WriteStrategies | undefined,
  faults: FaultSink,
  usual: Strategies = replacing,
): Strategies {
  const parsed = new Map(usual)
  for (const [name, given] of Object.entries(strategies ?? {})) {
    const field = object.fields.get(name)
    if (field === undefined) faults.add(['meta', name], unknownAttribute(object, name))
    else {
      for (const [shape, strategy] of Object.entries(given)) {
        if (strategy === undefined || (strategy === 'replace' && !usual.has(field))) continue
        if (shape !== shapeOf(field)) faults.add(['meta', name, shape], strategyText(field))
        else if (strategy === 'replace') parsed.delete(field)
        else parsed.set(field, strategy)
      }
    }
  }
  return parsed
}

function strategyText(field: Field): string {
  const shape = shapeOf(field)
  return shape === undefined
    ? `A value of "${field.name}" can only be replaced.`
    : `"${field.name}" has its strategy in "${shape}": {"${field.name}": {"${shape}": …}}.`
}

/** `unite` puts given items first, `append` last. */
export type Strategy = 'append' | 'unite' | 'remove' | 'merge'

/** Returns the shape that the strategies of a field depend on; undefined if its value can only be replaced. */
export function shapeOf({ type }: Field): 'collection' | 'array' | 'object' | undefined {
  if (type.comparedAs === 'items') return 'collection'
  if (type.name === 'rich_text') return 'array'
  return type.name === 'person_name' || type.name === 'location' || type.name === 'json' ? 'object' : undefined
}

/** The context in which values are parsed: a request may name another country of phone numbers than the settings. */
export async function parseContext(ctx: WorkspaceReadContext, country?: string): Promise<ParseContext> {
  const { default_country, time_zone } = await workspaceSettings(ctx)
  return { newId: ctx.newId, country: country ?? default_country ?? undefined, timeZone: time_zone }
}
