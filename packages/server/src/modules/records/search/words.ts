import { fold } from '../../../db/fold.ts'

/** What stands between words: everything but letters, digits, marks and symbols such as emoji. */
const separators = /[^\p{L}\p{M}\p{N}\p{So}]+/u

/** The accents of Latin, Greek and Cyrillic letters. Marks of other scripts are letters in all but name, and stay. */
const accents = /[\u0300-\u036f]/g

/** Letters that have no accent to take away, as people type them who have no key for them. */
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

/** A text as searching compares it: folded like every other text, and without accents. */
const searched = (text: string): string =>
  fold(text)
    .normalize('NFD')
    .replaceAll(accents, '')
    .normalize('NFC')
    .replaceAll(specialLetters, (letter) => plainLetters[letter] as string)

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
 * One word that is searched for. It is found anywhere in a word of a record; with `atStart`, only at the beginning of one, as
 * words of one or two letters are: within others they are nearly everywhere.
 */
export type Term = { readonly text: string; readonly atStart: boolean }

/** Characters that a word must have to be looked for within others. */
const infixMin = 3

export const termsOf = (search: string): Term[] =>
  [...new Set(wordsOf(search))].map((text) => {
    const characters = Array.from(text)
    return { text, atStart: characters.length < infixMin && !characters.every(isUnspaced) }
  })
