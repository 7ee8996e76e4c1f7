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
