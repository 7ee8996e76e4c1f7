import { createHash } from 'node:crypto'
import { defined } from '../../lib/guards.ts'
import type { ErrorSource } from '../../kernel/errors.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { isId } from '../../kernel/ids.ts'
import { isNumeric } from '../objects/index.ts'
import { isRanked, rankedOptions } from '../filters/index.ts'
import type { SortKey } from './sort.ts'

/** Position at which a page ends or begins: the values sorted by, null where empty, and the id that breaks ties. */
export type KeysetPosition = { readonly values: readonly (string | number | null)[]; readonly id: string }

/** The list that a cursor belongs to; it is valid for no other. */
export type CursorScope = { readonly object: string; readonly sort: readonly SortKey[]; readonly filter: unknown }

const scopeHash = ({ object, sort, filter }: CursorScope): string =>
  createHash('sha256')
    .update(JSON.stringify([object, sort.map(orderOf), filter ?? null]))
    .digest('base64url')
    .slice(0, 12)

/** Returns the parts of an order; places among options mean nothing once the options change. */
const orderOf = ({ column, descending }: SortKey): unknown[] => [
  column.name,
  descending,
  ...(isRanked(column) ? [rankedOptions(column.field)] : []),
]

/** A position in a list, and the watermark: the end of the list for a caller who reads it from its first page on. */
export type Cursor = { readonly at: KeysetPosition; readonly watermark: number | undefined }

export const encodeCursor = (scope: CursorScope, { at: { values, id }, watermark }: Cursor): string =>
  Buffer.from(JSON.stringify([scopeHash(scope), watermark ?? null, ...values, id])).toString('base64url')

/** Decodes a cursor; 400 `cursor_mismatch` if it is damaged or belongs to another list. */
export function decodeCursor(
  ctx: WorkspaceReadContext<'cursor_mismatch'>,
  scope: CursorScope,
  cursor: string,
  source: ErrorSource,
): Cursor {
  const [hash, watermark, ...rest] = parseParts(cursor)
  const id = rest.pop()
  const fits =
    hash === scopeHash(scope) &&
    isWatermark(watermark) &&
    typeof id === 'string' &&
    isId(id) &&
    rest.length === scope.sort.length
  if (!fits || !rest.every((value, index): value is Value => isValue(value, defined(scope.sort[index])))) {
    throw ctx.fail('cursor_mismatch', {
      detail: 'This cursor belongs to another sort order, filter or object, or is damaged.',
      source,
    })
  }
  return { at: { values: rest, id }, watermark: watermark ?? undefined }
}

const isWatermark = (value: unknown): value is number | null =>
  value === null || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)

function parseParts(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

type Value = KeysetPosition['values'][number]

function isValue(value: unknown, { column }: SortKey): boolean {
  if (value === null) return true
  const isField = column.kind === 'field'
  if (isNumeric(column) || isRanked(column))
    return typeof value === 'number' && Number.isFinite(value) && (isField || Number.isSafeInteger(value))
  if (typeof value !== 'string' || value.includes('\0')) return false
  return isField || isId(value)
}
