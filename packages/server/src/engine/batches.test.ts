import { expect, test } from 'vitest'
import { nextBatchSize } from './batches.ts'

const range = { min: 20, max: 2000 }

test.each([
  ['shorter than half of its time', 4, 200],
  ['in its time', 7, 100],
  ['longer', 11, 50],
])('a batch of 100 rows that was %s (%d ms) is followed by one of %d', (_how, tookMs, rows) => {
  expect(nextBatchSize(100, tookMs, range)).toBe(rows)
})

test('batches stay within their range', () => {
  expect([nextBatchSize(1500, 1, range), nextBatchSize(30, 100, range)]).toEqual([2000, 20])
})
