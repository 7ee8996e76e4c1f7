import type { FieldType } from './field-type.ts'
import { flagKeywords } from './keywords.ts'
import { flagOperators } from './operators.ts'

export const checkbox: FieldType = {
  name: 'checkbox',
  comparedAs: 'flag',
  jsonTypes: ['boolean'],
  keywords: flagKeywords,
  path: [],
  operators: flagOperators,
  indexes: ['number'],
  empty: null,
  parse: (value, _field, report) => (typeof value === 'boolean' ? value : report('Must be true or false.')),
  parseOperand: (value) => (value === true || value === 'true' ? 1 : value === false || value === 'false' ? 0 : undefined),
}
