import { isList, isRecord, isString } from '../../lib/guards.ts'
import type { Field } from '../fields/index.ts'
import { textOf, instantIn, numeralOf } from '../templates/index.ts'
import type { BlockContext } from '../plugins/index.ts'

type Attributes = Readonly<Record<string, unknown>>

/**
 * Attributes as the fields of their object take them, where what a message brought says exactly that in another form: a
 * number in a text, one item that is no list, a time without a zone. All else stays, for the operation to judge.
 */
export async function fittedAttributes(
  { objectNamed, timeZone }: Pick<BlockContext, 'objectNamed' | 'timeZone'>,
  objectName: string,
  attributes: Attributes,
): Promise<Attributes> {
  const fields = (await objectNamed(objectName))?.fields
  if (fields === undefined) return attributes
  const times = Object.keys(attributes).some((name) => fields.get(name)?.type.name === 'timestamp')
  const zone = times ? await timeZone() : 'utc'
  const fitted = (name: string, value: unknown): unknown => {
    const field = fields.get(name)
    return field === undefined || value === null ? value : fittedValue(field, value, zone)
  }
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, fitted(name, value)]))
}

/** Types of free text, in which a list or an object is its JSON. */
const wordy: ReadonlySet<string> = new Set(['text', 'long_text'])

/** Values of checkboxes; browsers send a ticked one as `on`. */
const truths: Readonly<Record<string, boolean>> = { true: true, false: false, on: true }

function fittedValue({ type, schema }: Field, value: unknown, zone: string): unknown {
  if (type.comparedAs === 'items') return collectionOf(value, type.itemMembers === undefined)
  // Forms send fields that nobody has filled in as empty texts.
  if (isString(value) && value.trim() === '' && !wordy.has(type.name)) return null
  if (type.comparedAs === 'number') return numeralOf(value) ?? value
  if (type.comparedAs === 'flag') return isString(value) ? (truths[value.trim().toLowerCase()] ?? value) : value
  if (type.name === 'timestamp') return isString(value) ? instantIn(value, zone) : value
  const [only, ...others] = [schema.type ?? type.jsonTypes].flat().filter((name) => name !== 'null')
  if (only !== 'string' || others.length > 0) return value
  return isScalar(value) || wordy.has(type.name) ? textOf(value) : value
}

/** A collection of what may be a list, or one item of it. */
function collectionOf(value: unknown, isOfTexts: boolean): unknown {
  const given = isRecord(value) && 'items' in value ? value['items'] : value
  if (given === '' || given === null) return { items: [] }
  if (isOfTexts && isRecord(given)) return value
  const items = isList(given) ? given : [given]
  return { items: isOfTexts ? items.map((item) => (isScalar(item) ? String(item) : item)) : items }
}

const isScalar = (value: unknown): value is number | boolean => typeof value === 'number' || typeof value === 'boolean'
