import { isOneOf, itemsOf } from '../../lib/guards.ts'
import { fold } from '../../db/fold.ts'
import type { Field, FieldType } from './field-type.ts'
import { itemKeywords, selectKeywords } from './keywords.ts'
import { itemOperators, selectOperators } from './operators.ts'
import { parseItems } from './items.ts'
import { alike, itemsShape, valueShape } from './shape.ts'

const allowed = (field: Field): string => `Must be one of: ${[...(field.options ?? [])].join(', ')}.`

const option = (value: unknown, field: Field): string | undefined =>
  typeof value === 'string' && (field.options?.has(value) ?? true) ? value : undefined

export const select: FieldType = {
  name: 'select',
  comparedAs: 'text',
  exact: true,
  jsonTypes: ['string'],
  keywords: [...selectKeywords, 'xSvcPrimary'],
  path: [],
  operators: selectOperators,
  indexes: ['text'],
  empty: null,
  shape: ({ schema }) => alike(valueShape('string', schema)),
  parse: (value, field, report) => option(value, field) ?? report(allowed(field)),
  present: (stored, { clearing }) => (isOneOf(clearing, stored) ? null : stored),
  parseOperand: (value, field) => option(value, field),
}

export const multiSelect: FieldType = {
  name: 'multi_select',
  comparedAs: 'items',
  exact: true,
  jsonTypes: ['object'],
  keywords: [...itemKeywords, 'enum', 'xSvcEnumMetadata'],
  path: ['items'],
  operators: itemOperators,
  indexes: ['text'],
  empty: { items: [] },
  shape: (field) => itemsShape(field, valueShape('string', { enum: field.schema.enum })),
  present: (stored, { clearing }) =>
    clearing.length === 0 ? stored : { items: itemsOf(stored).filter((item) => !isOneOf(clearing, item)) },
  parse: (value, field, report) =>
    parseItems(value, report, (item) => option(item, field) ?? { fault: allowed(field) }),
  parsePart: (value) => fold(String(value)),
  parseOperand: (value, field) => option(value, field),
}
