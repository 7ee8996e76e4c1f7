import { hasExcessMarks, withoutExcessMarks } from './combining-marks.ts'

/**
 * A text as both databases store it: Postgres takes no NUL, and no halves of surrogate pairs; and with no more
 * combining marks in a row than can be normalised quickly.
 */
export const storableText = (text: string): string => withoutExcessMarks(text.replaceAll('\0', '\uFFFD').toWellFormed())

/** Returns whether both databases store a text as it is. */
export const isStorableText = (text: string): boolean =>
  text.isWellFormed() && !text.includes('\0') && !hasExcessMarks(text)

/** Depth of nested JSON; deeper values would exhaust the stack. */
const depthMax = 500

/** Returns whether both databases store a JSON value as it is. */
export function isStorable(value: unknown, depth = 0): boolean {
  if (depth > depthMax) return false
  if (typeof value === 'string') return isStorableText(value)
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, member]) => isStorable(name, depth) && isStorable(member, depth + 1))
}
