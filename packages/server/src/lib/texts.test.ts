import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasExcessMarks, isStorable, marksMax, storableText, textPieces, withoutExcessMarks } from './texts.ts'

test('pieces are short enough, make up the text, and each is a text of its own', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.integer({ min: 2, max: 12 }), (text, charsMax) => {
      const pieces = [...textPieces(text, charsMax)]
      expect(pieces.join('')).toBe(text)
      for (const piece of pieces) {
        expect(piece.length).toBeLessThanOrEqual(charsMax)
        expect(piece.length).toBeGreaterThan(0)
        expect(piece.isWellFormed()).toBe(true)
      }
    }),
  )
})

/** U+0345 sorts behind all other marks: what moves in front of it is sorted. */
const last = '\u0345'

/** Returns whether normal forms sort a character among marks. */
const isSorted = (char: string): boolean => `a${last}${char}`.normalize('NFKD') !== `a${last}${char.normalize('NFKD')}`

test('every character that normal forms sort counts as a mark', () => {
  const missing = Array.from({ length: 0x10ffff }, (_, point) => point)
    .filter((point) => (point < 0xd800 || point > 0xdfff) && (point < 0x30000 || point >= 0xe0000))
    .map((point) => String.fromCodePoint(point))
    .filter((char) => isSorted(char) && !hasExcessMarks(char.repeat(marksMax + 1)))
  expect(missing).toEqual([])
  expect(hasExcessMarks(last.repeat(marksMax + 1))).toBe(true)
})

test('marks beyond a hundred in a row are cut or refused, and letters with fewer are kept', () => {
  const most = `e${'\u0301\u0316'.repeat(marksMax / 2)}`
  expect([isStorable(most), storableText(most)]).toEqual([true, most])
  const more = `${most}\u0301 à la ${most}\u{1d165}z`
  expect(isStorable({ [more]: 1 })).toBe(false)
  expect(isStorable([more])).toBe(false)
  expect(withoutExcessMarks(more)).toBe(`${most} à la ${most}z`)
  expect(storableText(more)).toBe(`${most} à la ${most}z`)
  // Marks of the upper planes have two units each.
  expect(hasExcessMarks('\u{1d165}'.repeat(marksMax))).toBe(false)
})
