import { trimInvisible } from '@kontor/contract'
import { fold } from '../../db/fold.ts'
import type { FieldType } from './field-type.ts'
import { locationOperators } from './operators.ts'
import { alike } from './shape.ts'

/** A line of text, or an object, which is kept as given. */
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
    return typeof value === 'object' && !Array.isArray(value) ? value : report('Must be a string or an object.')
  },
  parseOperand: (value) => fold(String(value)),
}
