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
