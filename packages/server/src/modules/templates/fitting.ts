import { isList, isRecord, isString } from '../../lib/guards.ts'
import { textOf } from './syntax.ts'
import { partsOf } from './values.ts'
import { numeralOf } from './variable-filters.ts'

/** JSON types that a place accepts, `null` among them. */
export type Accepted = ReadonlySet<string>

/**
 * The value of a variable that stands alone, as its place accepts it: text where only text fits, the number that a text
 * spells exactly where only numbers fit, and a list of one where only lists fit.
 */
export function fitted(value: unknown, accepted: Accepted | undefined): unknown {
  if (accepted === undefined || (value === null && accepted.has('null'))) return value
  const types = [...accepted].filter((type) => type !== 'null')
  // A record is named by its id, or by an object with a unique value: a number can only be meant as the text.
  if (types.length === 2 && accepted.has('string') && accepted.has('object'))
    return isPlain(value) ? String(value) : value
  const [only, ...others] = types
  if (others.length > 0 || only === undefined) return value
  if (only === 'string') return textOf(value)
  if (only === 'number') return isString(value) ? (numeralOf(value) ?? value) : value
  if (only === 'array') return isList(value) || value === null ? value : listOf(value)
  return value
}

const isPlain = (value: unknown): boolean => typeof value === 'number' || typeof value === 'boolean'

/** A value as a list: its items if it is a collection, else itself alone. */
const listOf = (value: unknown): readonly unknown[] =>
  isRecord(value) && !isList(value['items']) ? [value] : partsOf(value)
