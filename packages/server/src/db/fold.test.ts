import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fold } from './fold.ts'
import { marksMax } from '../lib/texts.ts'

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }))

test('folding twice changes nothing', () => {
  fc.assert(
    fc.property(text, (value) => fold(fold(value)) === fold(value)),
    { numRuns: 2000 },
  )
  // Beyond the second plane nothing has case or another form.
  for (let point = 0; point < 0x20000; point++) {
    const char = String.fromCodePoint(point)
    const folded = fold(`${char} ${char}\u030C ${char}\u0331 ${char}\u0345`)
    if (fold(folded) !== folded) expect.fail(`U+${point.toString(16)}`)
  }
})

test('case, width and composition make no difference', () => {
  const same = ['JÖRG', 'jörg', 'Jo\u0308rg', 'ＪÖＲＧ']
  expect(new Set(same.map(fold))).toEqual(new Set(['jörg']))
  expect(fold('H̱')).toBe(fold('ẖ'))
})

test('a word is found in a longer one, though a sigma at its end is written otherwise', () => {
  expect(fold('ΟΔΟΣΑ')).toContain(fold('ΟΔΟΣ'))
  expect(fold('οδοςα')).toContain(fold('ΟΔΟΣ'))
})

test('folding costs little, however many marks a text has', () => {
  const marks = '\u0301\u0316'.repeat(500_000)
  expect(fold(`A${marks}B`)).toBe(fold(`A${'\u0301\u0316'.repeat(marksMax / 2)}B`))
})
