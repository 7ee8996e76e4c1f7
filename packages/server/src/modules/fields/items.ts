import { isBlank, trimInvisible } from '@kontor/contract/values'
import { isRecord, isString } from '../../lib/guards.ts'
import { fold } from '../../db/fold.ts'
import type { FieldType, Report } from './field-type.ts'
import { itemKeywords } from './keywords.ts'
import { itemOperators } from './operators.ts'
import { itemsShape, valueShape } from './shape.ts'

/** Most items of a collection; each may cost an index row and a unique key. */
export const itemsMax = 1000

type ItemResult = string | { readonly fault: string }

const isItems = (value: unknown): value is { items: unknown[] } =>
  isRecord(value) && Array.isArray(value['items']) && Object.keys(value).length === 1

/** Parses `{items:[…]}`, with each item normalised and no item twice; null if none is left. */
export function parseItems(value: unknown, report: Report, parseItem: (item: unknown) => ItemResult): unknown {
  if (!isItems(value)) return report('Must be an object {"items": […]}.')
  if (value.items.length > itemsMax) return report(`Must have at most ${itemsMax} items.`, ['items'])
  const results = value.items.map(parseItem)
  let faulty = false
  results.forEach((result, index) => {
    if (typeof result === 'string') return
    faulty = true
    report(result.fault, ['items', index])
  })
  if (faulty) return undefined
  const items = [...new Set(results.filter(isString))]
  return items.length === 0 ? null : { items }
}

const textLengthMax = 500

type Normalise = (item: string, country?: string) => string | undefined

/** A collection of texts; `normalise` returns undefined for an invalid item, `part` normalises a part of an item. */
export const collectionType = (
  name: FieldType['name'],
  what: string,
  normalise: Normalise,
  part: (text: string) => string = (text) => text,
): FieldType => ({
  name,
  comparedAs: 'items',
  jsonTypes: ['object'],
  keywords: [...itemKeywords, 'items', 'xSvcUnique'],
  path: ['items'],
  operators: itemOperators,
  indexes: ['text', 'grams'],
  empty: { items: [] },
  shape: (field) => itemsShape(field, valueShape('string', field.schema.items ?? {})),
  itemKey: (item, country) => normalise(String(item), country) ?? String(item),
  parse: (value, _field, report, { country }) =>
    parseItems(value, report, (item) => {
      if (typeof item !== 'string' || isBlank(item)) return { fault: `Must be ${what}.` }
      if (item.length > textLengthMax) return { fault: `Must be at most ${textLengthMax} characters.` }
      return normalise(trimInvisible(item), country) ?? { fault: `Must be ${what}.` }
    }),
  parseOperand: (value) => fold(normalise(trimInvisible(String(value))) ?? String(value)),
  parsePart: (value) => fold(normalise(trimInvisible(String(value))) ?? part(String(value))),
})
