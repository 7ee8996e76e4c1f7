/**
 * Matches an invisible character: white space, controls, and those that Unicode defines as ignorable (zero width,
 * direction marks, soft hyphens, fillers, variation selectors), with the empty pattern of Braille and the marks of
 * annotations.
 */
const invisible = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]$/u

const visible = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u

const partOfEmoji = /(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]/u
const partOfIdeograph = /(?<=\p{Ideographic})[\u{e0100}-\u{e01ef}]/u
const partOfFlag = /(?<=\u{1f3f4})[\u{e0020}-\u{e007e}]+\u{e007f}/u

/** Matches characters that are invisible alone, but vary the one before: an emoji, an ideograph, a flag. */
const partOfCharacter = new RegExp(`${partOfEmoji.source}|${partOfIdeograph.source}|${partOfFlag.source}`, 'uy')

const isInvisible = (point: number | undefined): boolean => invisible.test(String.fromCodePoint(point ?? 0))

/** Tells whether a text has nothing that people see. */
export const isBlank = (text: string): boolean => !visible.test(text)

/** Tells whether people would not see a part of a text; a space counts. */
export const hasInvisible = (text: string): boolean => Array.from(text).some((one) => invisible.test(one))

/** A text without all that is invisible at its ends. */
export function visiblePart(text: string): string {
  const [start, end] = endsOf(text)
  return text.slice(start, end)
}

/** A text as it is stored: without what is invisible at its ends, but its last character as it looks. */
export function trimInvisible(text: string): string {
  const [start, end] = endsOf(text)
  partOfCharacter.lastIndex = end
  return text.slice(start, end + (end > start ? (partOfCharacter.exec(text)?.[0].length ?? 0) : 0))
}

/** Where the visible part of a text begins and ends. A regular expression would take long for a long gap inside. */
function endsOf(text: string): [number, number] {
  let start = 0
  while (start < text.length && isInvisible(text.codePointAt(start))) start += lengthAt(text, start)
  let end = text.length
  while (end > start) {
    const before = end > 1 && isPair(text, end - 2) ? end - 2 : end - 1
    if (!isInvisible(text.codePointAt(before))) break
    end = before
  }
  return [start, end]
}

const isPair = (text: string, at: number): boolean => (text.codePointAt(at) ?? 0) > 0xffff

const lengthAt = (text: string, at: number): number => (isPair(text, at) ? 2 : 1)
