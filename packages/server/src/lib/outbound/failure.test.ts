import { expect, test } from 'vitest'
import { retryAfterMs } from './failure.ts'

test.each([
  ['120', 120_000],
  [' 0 ', 0],
  ['Mon, 15 Jun 2026 12:00:30 GMT', 30_000],
  ['Mon, 15 Jun 2026 11:00:00 GMT', 0],
  ['soon', undefined],
  ['-5', undefined],
  ['', undefined],
  [undefined, undefined],
])('reads %j as %j ms', (header, ms) => {
  expect(retryAfterMs(header, Date.UTC(2026, 5, 15, 12))).toBe(ms)
})
