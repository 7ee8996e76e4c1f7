/** A text as both databases store it: Postgres takes no NUL, and no halves of surrogate pairs. */
export const storableText = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()

/** Depth of nested JSON; deeper values would exhaust the stack. */
const depthMax = 500

/** Returns whether both databases store a JSON value as it is. */
export function isStorable(value: unknown, depth = 0): boolean {
  if (depth > depthMax) return false
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed()
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, member]) => isStorable(name, depth) && isStorable(member, depth + 1))
}
