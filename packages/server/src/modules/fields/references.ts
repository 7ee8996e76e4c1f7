import { isId } from '../../kernel/ids.ts'
import type { FieldType } from './field-type.ts'
import { idOperators } from './operators.ts'
import { alike } from './shape.ts'

/** The id of a record; whether that record exists is checked in the database, for a whole batch at once. */
export const reference: FieldType = {
  name: 'reference',
  comparedAs: 'text',
  exact: true,
  jsonTypes: ['string', 'array'],
  keywords: ['xSvcRelationship'],
  path: [],
  operators: idOperators,
  indexes: ['text'],
  empty: null,
  shape: () => alike({ type: 'string' }),
  parse: (value, _field, report) =>
    typeof value === 'string' && isId(value)
      ? value
      : report('Must be the id of a record, or {"match": {"<unique field>": value}}.'),
  parseOperand: (value) => (typeof value === 'string' ? value : undefined),
}

export const userReference: FieldType = {
  ...reference,
  name: 'user_reference',
  jsonTypes: ['string'],
  keywords: [],
  parse: (value, _field, report) =>
    typeof value === 'string' && isId(value) ? value : report('Must be the id of a user; `GET …/users` lists them.'),
}
