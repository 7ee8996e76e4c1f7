import { defined } from '../../../lib/guards.ts'
import { fold } from '../../../db/fold.ts'
import { joinedNumbers } from '../../../db/phone-form.ts'

/** Separators between words: everything but letters, digits, marks and symbols such as emoji. */
const separators = /[^\p{L}\p{M}\p{N}\p{So}]+/u

/**
 * The accents of Latin, Greek and Cyrillic letters. Marks of other scripts are letters in all but name, and are kept.
 */
const accents = /[\u0300-\u036f]/g

/** Letters without a separable accent, as people type them on a keyboard that lacks them. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
}
const specialLetters = /[ßæœøđðłþı]/g

/** Normalises a text for search: folded like every other text, and without accents. */
const searched = (text: string): string =>
  fold(text)
    .normalize('NFD')
    .replaceAll(accents, '')
    .normalize('NFC')
    .replaceAll(specialLetters, (letter) => defined(plainLetters[letter]))

/** The words of a text in their order. */
export const wordsOf = (text: string): string[] =>
  searched(text)
    .split(separators)
    .filter((word) => word !== '')

/** Characters of scripts that are written without spaces between words, and symbols: any of them may begin a word. */
const unspaced =
  /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{So}]$/u

export const isUnspaced = (character: string): boolean => unspaced.test(character)

/**
 * A search term. It matches anywhere in a word of a record; with `atStart`, only at the beginning of a word. Terms of
 * one or two letters match only there, because within words they are nearly everywhere.
 */
export type Term = { readonly text: string; readonly atStart: boolean }

/** Fewest characters of a term that matches within words. */
const infixMin = 3

/**
 * What may be searched for: all words; or, where groups of digits may be one phone number, that number and the other
 * words.
 */
export function readingsOf(search: string): Term[][] {
  const [words, joined] = [termsOf(search), termsOf(joinedNumbers(search))]
  return words.map(({ text }) => text).join() === joined.map(({ text }) => text).join() ? [words] : [words, joined]
}

export const termsOf = (search: string): Term[] =>
  [...new Set(wordsOf(search))].map((text) => {
    const characters = Array.from(text)
    return { text, atStart: characters.length < infixMin && !characters.every(isUnspaced) }
  })
