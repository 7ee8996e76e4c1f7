import fc from 'fast-check'
import { DateTime } from 'luxon'
import { describe, expect, test } from 'vitest'
import { nextOpening } from './window.ts'

const at = (text: string, zone: string): number => DateTime.fromISO(text, { zone }).toMillis()
const shown = (ms: number, zone: string) => DateTime.fromMillis(ms, { zone }).toISO({ suppressMilliseconds: true })
const clockTime = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
const everyDay = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

describe('the hours of a campaign', () => {
  const berlin = 'Europe/Berlin'
  const office = { days: ['mon', 'tue', 'wed', 'thu', 'fri'] as const, from: '09:00', until: '17:00' }
  const opens = (text: string, hours: Parameters<typeof nextOpening>[0] = { ...office, days: [...office.days] }) =>
    shown(nextOpening(hours, berlin, at(text, berlin)), berlin)

  test('are those of the clock on the wall, whatever the clocks have done', () => {
    expect(opens('2026-03-27T12:00')).toBe('2026-03-27T12:00:00+01:00')
    expect(opens('2026-03-27T17:00')).toBe('2026-03-30T09:00:00+02:00')
    expect(opens('2026-10-23T18:00')).toBe('2026-10-26T09:00:00+01:00')
  })

  test('are shorter or longer where the clocks change within them', () => {
    const night = { days: [...everyDay], from: '02:00', until: '03:00' }
    // The hour from 2 to 3 is left out: it opens a day later.
    expect(opens('2026-03-29T01:30', night)).toBe('2026-03-30T02:00:00+02:00')
    // It comes twice: it opens the first time, and is open until 3 is reached.
    expect(opens('2026-10-25T01:30', night)).toBe('2026-10-25T02:00:00+02:00')
    const second = Date.parse('2026-10-25T02:30:00+01:00')
    expect(nextOpening(night, berlin, second)).toBe(second)
  })

  test('end with the day at 24:00', () => {
    const evening = { days: [...everyDay], from: '22:00', until: '24:00' }
    expect(opens('2026-10-24T23:59', evening)).toBe('2026-10-24T23:59:00+02:00')
    expect(opens('2026-10-25T00:00', evening)).toBe('2026-10-25T22:00:00+01:00')
  })

  test('open at the first minute from then on that is within them', () => {
    const zones = [
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'America/Santiago',
    ]
    const minutes = Array.from({ length: 96 }, (_, index) => index * 15)
    const hours = fc
      .record({
        days: fc.subarray([...everyDay], { minLength: 1 }),
        // Not within the hours that clocks leave out or repeat, where the examples above say what happens.
        from: fc.constantFrom(...minutes.filter((minute) => minute >= 4 * 60 && minute < 22 * 60)),
        length: fc.constantFrom(15, 60, 8 * 60),
      })
      .map(({ days, from, length }) => ({
        days,
        from: clockTime(from),
        until: clockTime(Math.min(from + length, 23 * 60 + 45)),
      }))
    const start = fc.integer({ min: 0, max: 366 * 96 }).map((quarter) => Date.UTC(2026, 0, 1) + quarter * 900_000)
    fc.assert(
      fc.property(hours, fc.constantFrom(...zones), start, (window, zone, from) => {
        let scanned = from
        for (; ; scanned += 900_000) {
          const local = DateTime.fromMillis(scanned, { zone })
          const time = local.toFormat('HH:mm')
          if (window.days.includes(everyDay[local.weekday - 1] ?? 'mon') && window.from <= time && time < window.until)
            break
        }
        expect(shown(nextOpening(window, zone, from), zone)).toBe(shown(scanned, zone))
      }),
      { numRuns: 300 },
    )
  })
})
