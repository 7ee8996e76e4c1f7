import { hasExcessMarks, withoutExcessMarks } from './combining-marks.ts'
const isHalf = (code: number): boolean => code >= 0xd8_00 && code < 0xdc_00

/** A text in pieces of at most so many characters, from two on; none ends in half of a character. */
export function* textPieces(text: string, charsMax: number): Generator<string, void, undefined> {
  for (let from = 0; from < text.length;) {
    const until = Math.min(from + charsMax, text.length)
    const end = until < text.length && isHalf(text.charCodeAt(until - 1)) ? until - 1 : until
    yield text.slice(from, end)
    from = end
  }
}

/** Ids that a text names; of more, it gives the number. */
const namedMax = 3

/** Names, for the caller, the records of an object that were not found. */
export function missingText(ids: readonly string[], object: string): string {
  const named = ids.slice(0, namedMax).map((id) => `"${id.slice(0, 64)}"`)
  const more = ids.length > namedMax ? ` and ${ids.length - namedMax} more` : ''
  return ids.length === 1
    ? `There is no ${object} with the id ${named.join('')}.`
    : `There are no ${object} records with the ids ${named.join(', ')}${more}.`
}

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
