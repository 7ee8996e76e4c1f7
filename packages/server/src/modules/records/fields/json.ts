import { jsonTypes } from '@kontor/contract'
import type { FieldType } from './field-type.ts'
import { jsonKeywords } from './keywords.ts'

/** Any JSON value, kept as given; it is neither filtered nor sorted by. */
export const json: FieldType = {
  name: 'json',
  comparedAs: 'nothing',
  jsonTypes,
  keywords: jsonKeywords,
  path: [],
  operators: ['Is empty', 'Is not empty'],
  indexes: ['text'],
  empty: null,
  parse: (value) => value,
  parseOperand: () => undefined,
}
