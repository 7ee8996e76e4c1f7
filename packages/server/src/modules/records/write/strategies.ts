import { isRecord, itemsOf, memberOf } from '../../../lib/guards.ts'
import { withoutOptions, type Field } from '../../fields/index.ts'
import type { Strategy } from './parse-attributes.ts'

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
    return isRecord(stored) && isRecord(value) ? (field.type.merge?.(stored, value) ?? { ...stored, ...value }) : value
  if (field.type.name === 'rich_text') return { text: [stored, value].flatMap((one) => memberOf(one, 'text') ?? []) }
  const before = itemsOf(withoutOptions(field, stored, field.clearing))
  const given = itemsOf(value)
  const keys = new Set(given.map((item) => keyOfItem(field, item)))
  const items =
    strategy === 'append'
      ? unitedItems(field, [...before, ...given])
      : before.filter((item) => !keys.has(keyOfItem(field, item)))
  return items.length === 0 ? null : { items }
}
