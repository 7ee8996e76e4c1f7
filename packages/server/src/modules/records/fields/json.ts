import type { FieldType } from './field-type.ts'

/** Any JSON value, kept as given; it is neither filtered nor sorted by. */
export const json: FieldType = {
  name: 'json',
  comparedAs: 'nothing',
  path: [],
  operators: ['Is empty', 'Is not empty'],
  indexes: ['text'],
  empty: null,
  parse: (value) => value,
  parseOperand: () => undefined,
}
