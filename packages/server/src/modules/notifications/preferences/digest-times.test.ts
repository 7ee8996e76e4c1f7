import { expect, test } from 'vitest'
import { nextDigestAt } from './digest-times.ts'

const next = (digest: 'daily' | 'weekly', from: string, zone = 'UTC', digest_hour = 8) =>
  new Date(nextDigestAt({ digest, digest_hour }, Date.parse(from), zone) ?? 0).toISOString()

test.each([
  ['before its hour', '2026-03-04T07:59:59Z', '2026-03-04T08:00:00.000Z'],
  ['at its hour', '2026-03-04T08:00:00Z', '2026-03-05T08:00:00.000Z'],
])('a daily digest comes at its hour: %s', (_when, from, at) => {
  expect(next('daily', from)).toBe(at)
})

test.each([
  ['a Wednesday', '2026-03-04T12:00:00Z', '2026-03-09T08:00:00.000Z'],
  ['a Monday before its hour', '2026-03-09T07:00:00Z', '2026-03-09T08:00:00.000Z'],
  ['a Monday after it', '2026-03-09T09:00:00Z', '2026-03-16T08:00:00.000Z'],
  ['a Sunday', '2026-03-08T23:59:00Z', '2026-03-09T08:00:00.000Z'],
])('a weekly digest comes on Mondays: on %s', (_when, from, at) => {
  expect(next('weekly', from)).toBe(at)
})

test('the hour is that of the clock on the wall, over its changes too', () => {
  expect(next('daily', '2026-03-28T12:00:00Z', 'Europe/Berlin')).toBe('2026-03-29T06:00:00.000Z')
  expect(next('weekly', '2026-10-20T12:00:00Z', 'Europe/Berlin')).toBe('2026-10-26T07:00:00.000Z')
})

test('who wants none gets none', () => {
  expect(nextDigestAt({ digest: 'off', digest_hour: 8 }, 0, 'UTC')).toBeNull()
})
