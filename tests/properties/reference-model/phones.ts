/** The country codes of the numbers that values are drawn from. */
const codes = ['1', '49']

/** The ways in which people write a stored number, without what is between its digits. */
export function spellingsOf(item: string): string[] {
  const digits = item.replaceAll(/\D/g, '')
  const code = item.startsWith('+') ? codes.find((one) => digits.startsWith(one)) : undefined
  if (code === undefined) return [digits]
  const national = digits.slice(code.length)
  return [`+${digits}`, `00${digits}`, digits, `0${national}`, national]
}

/** The digits of a number or of a part of one, with a sign before them; undefined for another text. */
const digitsOf = (text: string): string | undefined =>
  /^[\d\s()+./-]*\d[\d\s()./-]*$/.test(text) ? text.replaceAll(/[^\d+]/g, '') : undefined

/** Digits are compared with digits, other texts as texts. */
export function isPhone(item: string, op: 'Is' | 'Contains', operand: string): boolean {
  const digits = digitsOf(operand)
  const [texts, sought] = digits === undefined ? [[item], operand] : [spellingsOf(item), digits]
  return texts.some((text) => (op === 'Is' ? text === sought : text.includes(sought)))
}

/** A search with groups of digits that may be one number brought together. */
export const joined = (search: string): string =>
  search.replaceAll(/(?<![\p{L}\p{N}])[+(]*\d([\s()./-]*\d){3,}/gu, (groups) => groups.replaceAll(/\D/g, ''))
