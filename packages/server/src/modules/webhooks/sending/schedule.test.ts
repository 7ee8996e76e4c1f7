import { expect, test } from 'vitest'
import { nextAttemptAt, pauseMs } from './schedule.ts'

const [second, minute, hour] = [1000, 60_000, 3_600_000]

test('plans ten attempts, up to a tenth of the wait later, and then gives up', () => {
  const planned = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]
  let now = 1_000_000
  const beganAt = now
  planned.forEach((at, index) => {
    const next = nextAttemptAt({ tries: index + 1, beganAt, now, askedMs: undefined })!
    expect(next).toBeGreaterThanOrEqual(Math.max(beganAt + at, now + 5 * second))
    expect(next).toBeLessThanOrEqual(Math.ceil(now + Math.max(beganAt + at - now, 5 * second) * 1.1))
    now = next
  })
  expect(nextAttemptAt({ tries: 10, beganAt, now, askedMs: undefined })).toBeUndefined()
})

const after = (ms: number) => nextAttemptAt({ tries: 1, beganAt: 0, now: 0, askedMs: ms })!

test('does as the receiver asks, for a day at most', () => {
  expect(after(60_000)).toBeGreaterThanOrEqual(60_000)
  expect(after(60_000)).toBeLessThanOrEqual(66_000)
  expect(after(99 * hour)).toBeLessThanOrEqual(24 * hour * 1.1)
})

test('asks a receiver that fails again and again ever less often', () => {
  expect([1, 4, 5, 6, 7, 20].map(pauseMs)).toEqual([0, 0, 5000, 10_000, 20_000, 300_000])
})
