import type { FieldSchema, JsonSchema } from '@kontor/contract'
import { jsonTypes } from '@kontor/contract/values'
import type { FieldType } from './field-type.ts'
import { jsonKeywords } from './keywords.ts'
import { alike, valueShape } from './shape.ts'

function jsonShape(schema: FieldSchema): JsonSchema {
  const types = namedTypes(schema)
  const { minItems, maxItems, uniqueItems } = schema
  const bounds = Object.fromEntries(
    Object.entries({ minItems, maxItems, uniqueItems }).filter(([, bound]) => bound !== undefined),
  )
  return {
    ...valueShape(types, { const: schema.const, enum: schema.enum }),
    ...(types?.includes('object') && { additionalProperties: true }),
    ...(types?.includes('array') && {
      items: schema.items === undefined ? {} : valueShape(namedTypes(schema.items), schema.items),
      ...bounds,
    }),
  }
}

/** The JSON types of a schema except null, which is no value; undefined if any type is allowed. */
function namedTypes({ type }: Pick<FieldSchema, 'type'>): string[] | undefined {
  const named = [type ?? []].flat().filter((one) => one !== 'null')
  return named.length === 0 ? undefined : named
}

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
  shape: ({ schema }) => alike(jsonShape(schema)),
  parse: (value) => value,
  parseOperand: () => undefined,
}
