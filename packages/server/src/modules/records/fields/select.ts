import type { Field, FieldType } from './field-type.ts'
import { itemOperators, selectOperators } from './operators.ts'
import { parseItems } from './items.ts'

const allowed = (field: Field): string => `Must be one of: ${[...(field.options ?? [])].join(', ')}.`

const option = (value: unknown, field: Field): string | undefined => (typeof value === 'string' && (field.options?.has(value) ?? true) ? value : undefined)

export const select: FieldType = {
  name: 'select',
  comparedAs: 'text',
  exact: true,
  path: [],
  operators: selectOperators,
  indexes: ['text'],
  empty: null,
  parse: (value, field, report) => option(value, field) ?? report(allowed(field)),
  parseOperand: (value, field) => option(value, field),
}

export const multiSelect: FieldType = {
  name: 'multi_select',
  comparedAs: 'items',
  exact: true,
  path: ['items'],
  operators: itemOperators,
  indexes: ['text'],
  empty: { items: [] },
  parse: (value, field, report) => parseItems(value, report, (item) => option(item, field) ?? { fault: allowed(field) }),
  parseOperand: (value, field) => option(value, field),
}
