import type { WriteStrategies } from '@kontor/contract'
import { suggestion } from '../../../kernel/nearest.ts'
import { emptyFault } from '../fields/checks.ts'
import type { Field, ParseContext, Report } from '../fields/field-type.ts'
import { isToMany, type ObjectModel } from '../object.ts'
import type { Faults } from './faults.ts'

type Path = readonly (string | number)[]

/** Values by the field that they are for, in stored form; null clears. */
export type Values = ReadonlyMap<Field, unknown>

export type Strategies = ReadonlyMap<Field, Strategy>

const replacing: Strategies = new Map()

/**
 * Reads the attributes of a body, whatever is wrong with them goes to `faults` with its pointer. What is joined with a stored
 * value is only known to be of its type: `checkWritten` looks at the outcome.
 */
export function parseAttributes(
  object: ObjectModel,
  attributes: Readonly<Record<string, unknown>>,
  path: Path,
  faults: Faults,
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
    // Also where it is refused, so that a required field is not told to be missing on top.
    if (value !== undefined) values.set(field, value)
  }
  return values
}

function writableField(object: ObjectModel, name: string, at: Path, faults: Faults): Field | undefined {
  const field = object.fields.get(name)
  if (name.startsWith('_')) faults.add(at, 'System attributes cannot be written.')
  else if (field === undefined)
    faults.add(at, `${object.name} has no attribute "${name}".${suggestion(name, [...object.fields.keys()])}`)
  else if (isToMany(field))
    faults.add(at, `"${name}" is a relationship to many records; change it through its relationship endpoint.`)
  else if (field.readOnly) faults.add(at, `"${name}" is read-only.`)
  else return field
  return undefined
}

/** Checks a value that replaces what is stored. */
function checkValue(field: Field, given: unknown, value: unknown, report: Report): void {
  if (value !== null && value !== undefined) return field.checks.forEach((check) => check(value, report))
  if (value === undefined) return
  const fault = field.required ? `${field.title} is required.` : given === null ? undefined : emptyFault(field)
  if (fault !== undefined) report(fault)
}

/** Checks what a strategy has made of a stored value and a given one. */
export function checkWritten(field: Field, value: unknown, at: Path, faults: Faults): void {
  if (value === null) {
    if (field.required) faults.add(at, `${field.title} is required.`)
  } else field.checks.forEach((check) => check(value, (detail) => faults.add(at, detail)))
}

/** What a new record has where nobody says anything. */
export function withDefaults(object: ObjectModel, values: Values, context: ParseContext): Values {
  const missing = object.attributes.filter((field) => field.schema.default !== undefined && !values.has(field))
  if (missing.length === 0) return values
  // A default was read like any other value before its document was taken.
  return new Map([
    ...values,
    ...missing.map((field): [Field, unknown] => [
      field,
      field.type.parse(field.schema.default, field, () => undefined, context),
    ]),
  ])
}

export function requireAttributes(object: ObjectModel, values: Values, path: Path, faults: Faults): void {
  for (const field of object.attributes) {
    if (field.required && !values.has(field) && field.schema.default === undefined)
      faults.add([...path, field.name], `${field.title} is required.`)
  }
}

/** How each field of a change is written; a strategy that its type does not know is a fault. */
export function parseStrategies(
  object: ObjectModel,
  strategies: WriteStrategies | undefined,
  faults: Faults,
): Strategies {
  const parsed = new Map<Field, Strategy>()
  for (const [name, given] of Object.entries(strategies ?? {})) {
    const field = object.fields.get(name)
    if (field === undefined)
      faults.add(
        ['meta', name],
        `${object.name} has no attribute "${name}".${suggestion(name, [...object.fields.keys()])}`,
      )
    else {
      for (const [shape, strategy] of Object.entries(given)) {
        if (strategy === undefined || strategy === 'replace') continue
        if (shape === shapeOf(field)) parsed.set(field, strategy)
        else
          faults.add(
            ['meta', name, shape],
            `"${name}" is not written as ${shape === 'collection' ? 'a' : 'an'} ${shape}.`,
          )
      }
    }
  }
  return parsed
}

export type Strategy = 'append' | 'remove' | 'merge'

function shapeOf({ type }: Field): 'collection' | 'array' | 'object' | undefined {
  if (type.comparedAs === 'items') return 'collection'
  if (type.name === 'rich_text') return 'array'
  return type.name === 'person_name' || type.name === 'location' || type.name === 'json' ? 'object' : undefined
}
