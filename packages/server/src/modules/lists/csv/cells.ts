import { joinedItems } from '@kontor/contract'
import { isRecord, itemsOf, memberOf } from '../../../lib/guards.ts'
import type { FieldType } from '../../fields/index.ts'

/** The value of a field as a cell: `kontor import` makes the same value of it again (docs/decisions/0231). */
export function cellOf({ name, path, comparedAs }: FieldType, value: unknown): unknown {
  if (value === null || value === undefined) return undefined
  // Numbers remain what they are: they need no guard against formulas.
  if (name === 'json') return typeof value === 'number' ? value : JSON.stringify(value)
  if (name === 'location' && typeof value === 'string') return isPlain(value) ? value : JSON.stringify(value)
  if (comparedAs === 'items') return itemsCell(itemsOf(value))
  const shown = path.reduce(memberOf, value)
  return isRecord(shown) ? JSON.stringify(shown) : shown
}

const itemsCell = (items: readonly unknown[]): string =>
  items.every((item) => typeof item === 'string') ? joinedItems(items) : JSON.stringify(items)

/** Returns whether a location is read as this text, not as JSON; the import takes white space off it. */
function isPlain(text: string): boolean {
  if (text !== text.trim()) return false
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed !== 'string' && !isRecord(parsed)
  } catch {
    return true
  }
}
