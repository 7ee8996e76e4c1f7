import { withoutOptions, type Field } from '../../fields/index.ts'
import type { Strategy } from './parse-attributes.ts'

type Items = { readonly items: readonly unknown[] }
type Blocks = { readonly text: readonly unknown[] }

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const keyOfItem = ({ type }: Field, item: unknown): unknown => type.itemKey?.(item) ?? item

/** Removes duplicate items; the first of equal items stays. */
export function unitedItems(field: Field, items: readonly unknown[]): unknown[] {
  const byKey = new Map<unknown, unknown>()
  for (const item of items) if (!byKey.has(keyOfItem(field, item))) byKey.set(keyOfItem(field, item), item)
  return [...byKey.values()]
}

/** The value of a field after a write; null if nothing is left. */
export function applyStrategy(field: Field, strategy: Strategy | undefined, stored: unknown, value: unknown): unknown {
  if (strategy === undefined || value === null) return value
  if (strategy === 'merge')
    return isObject(stored) && isObject(value) ? (field.type.merge?.(stored, value) ?? { ...stored, ...value }) : value
  if (field.type.name === 'rich_text')
    return { text: [...((stored as Blocks | undefined)?.text ?? []), ...(value as Blocks).text] }
  const before = (withoutOptions(field, stored, field.clearing) as Items | undefined)?.items ?? []
  const given = (value as Items).items
  const keys = new Set(given.map((item) => keyOfItem(field, item)))
  const items =
    strategy === 'append'
      ? unitedItems(field, [...before, ...given])
      : before.filter((item) => !keys.has(keyOfItem(field, item)))
  return items.length === 0 ? null : { items }
}
