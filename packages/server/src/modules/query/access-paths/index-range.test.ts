import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextText } from './index-range.ts'

const inBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

test('what begins with a text lies between it and the next one, and nothing else does', () => {
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(
      text,
      fc.oneof(
        text,
        text.chain((begin) => text.map((end) => begin + end)),
      ),
      (begin, other) => {
        const until = nextText(begin)
        const isBetween = inBytes(other, begin) >= 0 && (until === undefined || inBytes(other, until) < 0)
        expect(isBetween).toBe(other.startsWith(begin))
      },
    ),
  )
})

test('the next text skips what is no character, and there is none behind the last', () => {
  expect(nextText('a')).toBe('b')
  expect(nextText('a\ud7ff')).toBe('a\ue000')
  expect(nextText('a\u{10ffff}')).toBe('b')
  expect(nextText('\u{10ffff}\u{10ffff}')).toBeUndefined()
  expect(nextText('')).toBeUndefined()
})
