import { fold } from '../../db/fold.ts'
import type { FieldType } from './field-type.ts'
import { locationOperators } from './operators.ts'
import { alike } from './shape.ts'

/** A string or an object, kept as given. */
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
    if (typeof value === 'string') return value === '' ? null : value
    return typeof value === 'object' && !Array.isArray(value) ? value : report('Must be a string or an object.')
  },
  parseOperand: (value) => fold(String(value)),
}
