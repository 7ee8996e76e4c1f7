import type { RecordMatch } from '../record-reference.ts'
import type { ObjectSchemaDocument } from '../schema-document.ts'
import { fieldOf, fieldWriter, uniqueFields } from './fields.ts'
import type { Notation } from './notation.ts'
import { isNothing, type CellText, type Writer } from './values.ts'

type MatchValue = RecordMatch['match'][string]

/** A record that a row names by a unique value, and the attributes that it gets if it is created. */
export type LinkedValue = {
  readonly entity: string
  readonly field: string
  readonly value: MatchValue
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Names the record as the API takes it. */
export const matchOf = ({ field, value }: LinkedValue): RecordMatch => ({ match: { [field]: value } })

/** Reads the cells of one row that name a linked record; null where they are empty. */
export type LinkedReader = (given: readonly CellText[], notation: Notation) => LinkedValue | null

/**
 * Compiles the fields that name a linked record, such as `domains` in `company_id.domains`. One of them is unique and
 * finds the record; the others are written only to records that are created. Faults go to `faults`.
 */
export function compileLinked(
  schema: ObjectSchemaDocument,
  parts: readonly string[],
  createMissing: boolean,
  faults: string[],
): LinkedReader | undefined {
  const before = faults.length
  const names = [...new Set(parts)]
  const writers = new Map<string, Writer>()
  for (const name of names) {
    const writer = fieldWriter(schema, name, undefined, faults)
    if (writer !== undefined) writers.set(name, writer)
    if (writer?.several !== true && parts.filter((part) => part === name).length > 1)
      faults.push(
        `Several columns are mapped to "${name}" of ${schema.title}; join them in one source: {First} {Second}.`,
      )
  }
  const field = names.find((name) => fieldOf(schema, name)?.xSvcUnique === true)
  if (faults.length === before) checkParts(schema, names, field, createMissing, faults)
  if (field === undefined || faults.length > before) return undefined
  return (given, notation) => read(schema.title, field, writers, given, notation)
}

function read(
  entity: string,
  field: string,
  writers: ReadonlyMap<string, Writer>,
  given: readonly CellText[],
  notation: Notation,
): LinkedValue | null {
  const attributes: Record<string, unknown> = {}
  for (const [name, writer] of writers) {
    const filled = given.filter(({ part, text }) => part === name && text.trim() !== '')
    const whole = filled.map(({ text }) => ({ part: undefined, text }))
    const value = whole.length === 0 ? null : writer.write(whole, notation)
    if (!isNothing(value)) attributes[name] = value
  }
  return field in attributes ? { entity, field, value: attributes[field] as MatchValue, attributes } : null
}

function checkParts(
  schema: ObjectSchemaDocument,
  names: readonly string[],
  field: string | undefined,
  createMissing: boolean,
  faults: string[],
): void {
  const unique = uniqueFields(schema)
  const others = names.filter((name) => name !== field).map((name) => `"${name}"`)
  if (field === undefined)
    faults.push(
      `${others.join(', ')} of ${schema.title} ${others.length === 1 ? 'is' : 'are'} not unique, so no record can ` +
        `be found by it; ${
          unique.length === 0 ? `${schema.title} has no unique field` : `unique: ${unique.join(', ')}`
        }.`,
    )
  else if (others.length > 0 && !createMissing)
    faults.push(
      `A ${schema.title} is found by "${field}"; ${others.join(', ')} can only be written to records that are ` +
        'created because they are missing. To create them, send `create_missing` (`kontor import --create-missing`).',
    )
}
