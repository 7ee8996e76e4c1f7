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
 * Most combining marks in a row. Normal forms sort the marks of a letter, which takes time that grows with the square
 * of their number: some seconds for 100,000 of them, on either database. Languages need fewer than ten (UAX #15 §13
 * allows 30).
 */
export const marksMax = 100

/** Combining marks, and the two Japanese sound marks of half width that normal forms turn into such. */
const run = /[\p{M}\uff9e\uff9f]+/gu
const mark = /^[\p{M}\uff9e\uff9f]/u

/** The first code unit of a mark. */
const unitMin = 0x300

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** Returns whether a code unit is of a mark. */
function isMarkAt(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  if (!(unit >= unitMin)) return false
  return mark.test(String.fromCodePoint(text.codePointAt(isLowSurrogate(unit) ? at - 1 : at) ?? 0))
}

/** The marks around a place, at most one more than are allowed. */
function marksAround(text: string, at: number): readonly string[] {
  let [from, to] = [at, at]
  while (isMarkAt(text, from - 1)) from--
  while (to - from < 2 * (marksMax + 1) && isMarkAt(text, to)) to++
  return Array.from(text.slice(from, to)).slice(0, marksMax + 1)
}

/** Returns whether a text has more combining marks in a row than are stored. */
export function hasExcessMarks(text: string): boolean {
  // So many units in a row contain one of these places.
  for (let at = marksMax; at < text.length; at += marksMax + 1)
    if (isMarkAt(text, at) && marksAround(text, at).length > marksMax) return true
  return false
}

/** Returns a text with at most `marksMax` combining marks in a row. */
export const withoutExcessMarks = (text: string): string =>
  hasExcessMarks(text)
    ? text.replace(run, (marks) =>
        marks.length <= marksMax ? marks : marksAround(marks, 0).slice(0, marksMax).join(''),
      )
    : text

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
