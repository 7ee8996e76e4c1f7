import { withoutExcessMarks } from '../lib/texts.ts'

/**
 * The one form in which texts are compared: Unicode NFKC, lower case, one sigma; folding twice changes nothing.
 * Postgres computes the same in `kontor_fold` (db/migrations/baseline), SQLite calls this function.
 */
export const fold = (text: string): string =>
  // Texts of requests have fewer marks: parsing refuses them. Those of other services may have any number.
  foldMarked(withoutExcessMarks(text))

const foldMarked = (text: string): string =>
  // A final sigma has a form of its own, which would keep "ΟΔΟΣ" from being found in "ΟΔΟΣΑ". Lower case can make a
  // pair composable that was not in upper case (H̱, J̌), hence the second normalisation.
  text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC')

type Replacement = readonly [pattern: RegExp, replacement: string]

/** Matches separators between the digits of a number, except brackets. */
const between = /[ \t\n\r\f\v./_*'’·•|\-\u00ad\u200b-\u200f\u2010-\u2015\u2028-\u202e\u2060-\u206f\u2212\u30fc\ufeff]/g

/** The country calling codes (ITU-T E.164): no code begins with another. */
const callingCode =
  '1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|(?:2[1-689]|3[578]|42|5[09]|6[7-9]|8[035789]|9[679])[0-9]'

/** The digits of Arabic and of Persian, which `fold` keeps. */
const easternDigits = '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹'

/** Replacements that reduce a number to its digits: patterns that both databases read, in this order. */
const cleaning: readonly Replacement[] = [
  [/^tel:/g, ''],
  [between, ''],
  // The zero that callers from abroad leave out.
  [/(\+|00)([0-9]{1,3})[([]0[)\]]/g, '$1$2'],
  [/[()[\]]/g, ''],
  [/([0-9])(;ext=|extension:?|ext:?|int|x:?|#|~|,|;)([0-9]{1,7})(?![0-9])/g, '$1X$3'],
  [/[^0-9+X]+/g, ' '],
  [/\+(?![0-9])/g, ' '],
  [/\+/g, ' +'],
]

/**
 * The spellings of an international number that people look for: with `00`, without a sign, as callers of its own
 * country write it, and without their zero.
 */
const spellings: readonly Replacement[] = [
  [/(^| )00([1-9])/g, '$1+$2'],
  [new RegExp(`\\+(${callingCode})([0-9]+(X[0-9]+)?)`, 'g'), '+$1$2 00$1$2 $1$2 0$2 $2'],
  // Where the digits before a national number are others: Russia and Kazakhstan, Hungary.
  [/\+(7|36)([0-9]+(X[0-9]+)?)/g, '+$1$2 8$2 06$2'],
]

const replaced = (text: string, some: readonly Replacement[]): string =>
  some.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text)

const western = /[٠-٩۰-۹]/g

/** The numbers in a text, without what stands between their digits; an extension follows an X. */
const numbersIn = (folded: string): string =>
  replaced(
    folded.replaceAll(western, (digit) => String(easternDigits.indexOf(digit) % 10)),
    cleaning,
  )

/**
 * Returns the form of a phone number that is compared: the text, on a line of its own, and its numbers in each usual
 * spelling, between spaces. Postgres computes the same in `kontor_phone` (db/migrations/baseline), SQLite calls this
 * function.
 */
export function phoneForm(text: string): string {
  const folded = fold(text)
  return `\n${folded.replaceAll('\n', ' ')}\n ${replaced(numbersIn(folded), spellings)} `
}

const oneNumber = /^(?: \+)?[0-9]+(?:X[0-9]+)?$/

/** The digits of a text that is a number or a part of one; undefined for any other text. */
export function phoneDigits(text: string): string | undefined {
  const number = numbersIn(fold(text))
  return oneNumber.test(number) ? number.trim() : undefined
}

/** Returns the form of the phone numbers that equal a text. */
export function phoneWhole(text: string): string {
  const digits = phoneDigits(text)
  return digits === undefined ? `\n${fold(text).replaceAll('\n', ' ')}\n` : ` ${digits} `
}

/** Returns the part of the form that phone numbers containing a text have. */
export const phonePart = (text: string): string => phoneDigits(text) ?? fold(text).replaceAll('\n', ' ')

/** Groups of digits that may be one number, with an extension. */
const digitGroups = new RegExp(
  `(?<![\\p{L}\\p{N}])[+(]*[0-9](?:(?:${between.source}|[()[\\]])*[0-9]){3,}` +
    '(?:[ .,:;]*(?:;ext=|extension|ext|x|#)[ .:]*[0-9]{1,7})?',
  'gu',
)

/** A text with the groups of digits that may be one number brought together. */
export const joinedNumbers = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(digitGroups, (groups) => phoneDigits(groups) ?? groups)
