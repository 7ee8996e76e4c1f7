import type { FieldType } from './field-type.ts'
import { flagKeywords } from './keywords.ts'
import { flagOperators } from './operators.ts'
import { alike, valueShape } from './shape.ts'

export const checkbox: FieldType = {
  name: 'checkbox',
  comparedAs: 'flag',
  jsonTypes: ['boolean'],
  keywords: flagKeywords,
  path: [],
  operators: flagOperators,
  indexes: ['number'],
  empty: null,
  shape: ({ schema }) => alike(valueShape('boolean', schema)),
  parse: (value, _field, report) => (typeof value === 'boolean' ? value : report('Must be true or false.')),
  parseOperand: (value) =>
    value === true || value === 'true' ? 1 : value === false || value === 'false' ? 0 : undefined,
}
