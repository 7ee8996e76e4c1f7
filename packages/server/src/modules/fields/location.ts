import { trimInvisible } from '@kontor/contract/values'
import { fold } from '../../db/fold.ts'
import type { FieldType } from './field-type.ts'
import { isRecord } from '../../lib/guards.ts'
import { locationOperators } from './operators.ts'
import { alike } from './shape.ts'

/** A line of text, or an object: its members are kept as given, but for those that are null, which are no parts. */
export const location: FieldType = {
  name: 'location',
  comparedAs: 'text',
  jsonTypes: ['string', 'object'],
  keywords: ['default', 'xSvcSearchable'],
  nested: true,
  path: [],
  operators: locationOperators,
  indexes: ['grams'],
  empty: null,
  shape: () => alike({ type: ['string', 'object'], additionalProperties: true }),
  parse(value, _field, report) {
    if (typeof value === 'string') return trimInvisible(value) || null
    return isRecord(value) ? withoutNulls(value) : report('Must be a string or an object.')
  },
  parseOperand: (value) => fold(String(value)),
  merge: (stored, given) => withoutNulls({ ...stored, ...given }),
}

/** The members of an object that have values; null if it has none. */
function withoutNulls(value: Readonly<Record<string, unknown>>): object | null {
  const parts = Object.entries(value).filter(([, part]) => part !== null)
  return parts.length === 0 ? null : Object.fromEntries(parts)
}
