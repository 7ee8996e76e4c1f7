import { expect, test } from 'vitest'
import { hasExcessMarks, marksMax, withoutExcessMarks } from './combining-marks.ts'
import { isStorable, storableText } from './texts.ts'

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
