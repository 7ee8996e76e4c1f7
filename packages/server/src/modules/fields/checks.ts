import type { FieldSchema } from '@kontor/contract'
import { itemsOf } from '../../lib/guards.ts'
import type { Check, Field, FieldType } from './field-type.ts'
import { arrayChecks, countChecks, eachItem, typeCheck } from './json-checks.ts'
import { valueChecks } from './value-checks.ts'

/** Most characters of an item, unless its schema sets a smaller limit. */
export const itemLengthMax = 500

/** Compiles the keywords of a schema to checks of a stored value. The options of selects are part of their types. */
export function compileChecks(schema: FieldSchema, type: FieldType): readonly Check[] {
  if (type.comparedAs === 'items') {
    const counted = countChecks(schema, (value) => itemsOf(value).length)
    return schema.items === undefined ? counted : [...counted, ofItems(valueChecks(schema.items, itemLengthMax))]
  }
  if (type.name === 'json')
    return [
      ...typeCheck(schema.type),
      ...valueChecks({ const: schema.const, enum: schema.enum }, itemLengthMax),
      ...arrayChecks(schema, itemLengthMax),
    ]
  return valueChecks(type.name === 'select' ? { ...schema, enum: undefined } : schema, type.lengthMax ?? itemLengthMax)
}

const ofItems = (checks: readonly Check[]): Check => {
  const each = eachItem(checks)
  return (value, report) => each(itemsOf(value), (detail, path = []) => report(detail, ['items', ...path]))
}

/** The fault of a value that is sent empty although the schema requires a length; clearing is done with null. */
export function emptyFault({ schema: { minLength = 0, minItems = 0 } }: Pick<Field, 'schema'>): string | undefined {
  if (minLength > 0) return `Must be at least ${minLength} characters.`
  return minItems > 0 ? `Must have at least ${minItems} items.` : undefined
}
