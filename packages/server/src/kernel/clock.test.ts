import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isoTime } from './clock.ts'

test('a time is written as Date writes it, whichever was written before', () => {
  const time = fc.integer({ min: -62_167_219_200_000, max: 253_402_300_800_000 })
  const near = time.chain((from) =>
    fc
      .array(fc.integer({ min: -90_000_000, max: 90_000_000 }), { minLength: 1 })
      .map((steps) => [from, ...steps.map((step) => from + step), from]),
  )
  fc.assert(fc.property(near, (times) => times.forEach((ms) => expect(isoTime(ms)).toBe(new Date(ms).toISOString()))))
})
