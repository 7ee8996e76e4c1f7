import { describe, expect, test } from 'vitest'
import { nextInstant, passedInstants, passedMax } from './cron.ts'

const berlin = 'Europe/Berlin'

/** The next instants of a schedule in Berlin, as ISO times. */
const instants = (cron: string, after: string, count: number): string[] => {
  const found: string[] = []
  for (let at = Date.parse(after); found.length < count;) {
    at = nextInstant({ cron, time_zone: berlin }, at) ?? Infinity
    found.push(new Date(at).toISOString())
  }
  return found
}

describe('where the clocks change', () => {
  test.each([
    [
      'a time that is left out comes at the end of the gap',
      '30 2 * * *',
      ['2027-03-28T01:00:00.000Z', '2027-03-29T00:30:00.000Z'],
    ],
    ['and so does one of several', '30 2,14 * * *', ['2027-03-28T01:00:00.000Z', '2027-03-28T12:30:00.000Z']],
    ['and so do those of every minute, once', '* 2 * * *', ['2027-03-28T01:00:00.000Z', '2027-03-29T00:00:00.000Z']],
    ['and those of a step', '*/30 2-3 * * *', ['2027-03-28T01:00:00.000Z', '2027-03-28T01:30:00.000Z']],
    ['with any hour, each hour has its own', '30 * * * *', ['2027-03-28T01:30:00.000Z', '2027-03-28T02:30:00.000Z']],
    ['with any step of hours too', '30 */1 * * *', ['2027-03-28T01:30:00.000Z', '2027-03-28T02:30:00.000Z']],
  ])('forward, %s', (_title, cron, expected) => {
    expect(instants(cron, '2027-03-28T00:45:00Z', 2)).toEqual(expected)
  })

  test.each([
    ['a time that comes twice comes once', '30 2 * * *', ['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z']],
    ['and so does one of several', '30 2,14 * * *', ['2026-10-25T00:30:00.000Z', '2026-10-25T13:30:00.000Z']],
    ['and so do those of a step', '*/45 2 * * *', ['2026-10-25T00:45:00.000Z', '2026-10-26T01:00:00.000Z']],
    ['and what follows it comes as usual', '30 2-3 * * *', ['2026-10-25T00:30:00.000Z', '2026-10-25T02:30:00.000Z']],
    ['with any hour, each hour has its own', '30 * * * *', ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z']],
  ])('back, %s', (_title, cron, expected) => {
    expect(instants(cron, '2026-10-25T00:00:00Z', 2)).toEqual(expected)
  })
})

describe('of the times that have passed', () => {
  const minutely = { cron: '* * * * *', time_zone: 'UTC' }
  const from = Date.UTC(2026, 5, 15, 12)
  const passed = (minutes: number) => passedInstants(minutely, from, from + minutes * 60_000)

  test.each([
    [0.5, undefined],
    [1, { last: from + 60_000, before: 0 }],
    [3.5, { last: from + 180_000, before: 2 }],
    [passedMax + 1, { last: from + (passedMax + 1) * 60_000, before: passedMax }],
  ])('after %d minutes, the last counts, and those before it', (minutes, expected) => {
    expect(passed(minutes)).toEqual(expected)
  })

  test('every minute of a fixed hour comes once in an hour that comes twice', () => {
    const from0 = Date.parse('2026-10-25T00:00:00Z')
    const zoned = { cron: '* 2 * * *', time_zone: berlin }
    const counted = (until: string) => passedInstants(zoned, from0 - 1, Date.parse(until))
    expect(counted('2026-10-25T00:59:00Z')).toEqual({ last: Date.parse('2026-10-25T00:59:00Z'), before: 59 })
    expect(counted('2026-10-25T01:30:00Z')).toEqual({ last: Date.parse('2026-10-25T00:59:00Z'), before: 59 })
    const days = passedInstants(zoned, Date.parse('2026-10-20T00:00:00Z'), Date.parse('2026-10-25T01:30:00Z'))
    expect(days).toEqual({ last: Date.parse('2026-10-25T00:59:00Z'), before: passedMax })
  })

  test('only so many are counted, and the last is told all the same', () => {
    expect(passed(10_000)).toEqual({ last: from + 600_000_000, before: passedMax })
  })
})
