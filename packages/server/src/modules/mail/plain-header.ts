/** Bytes of text in an encoded word, which has 75 characters (RFC 2047 §2), `=?UTF-8?B?` and `?=` among them. */
const wordBytesMax = 45

/**
 * Returns a text as it goes into a header. Mail programs decode what looks like an encoded word: a text with a part
 * that does, which only a person can have written, is encoded itself.
 */
export function plainHeader(text: string): string {
  if (!text.includes('=?')) return text
  const words: string[] = []
  let word = ''
  for (const character of text) {
    if (Buffer.byteLength(word + character) > wordBytesMax) {
      words.push(word)
      word = ''
    }
    word += character
  }
  return [...words, word].map((one) => `=?UTF-8?B?${Buffer.from(one).toString('base64')}?=`).join(' ')
}
