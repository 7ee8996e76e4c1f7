import { expect, test } from 'vitest'
import { dateText, dayOf, instantText, parsePeriod } from './period.ts'

/** The ends of a period, in UTC. */
function boundsOf(text: string, now: string, zone: string): (string | null | undefined)[] {
  const period = parsePeriod(text, Date.parse(now), zone)
  return [period?.from, period?.until].map((end) => end?.toUTC().toISO({ suppressMilliseconds: true }))
}

test.each([
  // The same instant is in three days.
  ['today', '2026-06-01T10:30:00Z', 'UTC', '2026-06-01T00:00:00Z', '2026-06-02T00:00:00Z'],
  ['today', '2026-06-01T10:30:00Z', 'Pacific/Kiritimati', '2026-06-01T10:00:00Z', '2026-06-02T10:00:00Z'],
  ['today', '2026-06-01T10:30:00Z', 'Pacific/Pago_Pago', '2026-05-31T11:00:00Z', '2026-06-01T11:00:00Z'],
  // Clocks go forward, and back: the day has 23 hours, and 25.
  ['today', '2026-03-29T12:00:00Z', 'Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
  ['today', '2026-10-25T12:00:00Z', 'Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
  ['yesterday', '2026-03-30T00:30:00Z', 'Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
  ['tomorrow', '2026-10-24T12:00:00Z', 'Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
  ['this_week', '2026-03-29T12:00:00Z', 'Europe/Berlin', '2026-03-22T23:00:00Z', '2026-03-29T22:00:00Z'],
  ['this_month', '2026-10-31T12:00:00Z', 'Europe/Berlin', '2026-09-30T22:00:00Z', '2026-10-31T23:00:00Z'],
  ['last_quarter', '2026-04-01T12:00:00Z', 'America/New_York', '2026-01-01T05:00:00Z', '2026-04-01T04:00:00Z'],
  // There is no midnight: the day begins an hour later.
  ['today', '2026-04-24T12:00:00Z', 'Africa/Cairo', '2026-04-23T22:00:00Z', '2026-04-24T21:00:00Z'],
  // A day away is the same time of day, an hour away is an hour.
  ['-1d', '2026-03-29T12:00:00Z', 'Europe/Berlin', '2026-03-28T13:00:00Z', '2026-03-29T12:00:00Z'],
  ['+24h', '2026-03-28T13:00:00Z', 'Europe/Berlin', '2026-03-28T13:00:00Z', '2026-03-29T13:00:00Z'],
])('%s at %s in %s', (text, now, zone, from, until) => {
  expect(boundsOf(text, now, zone)).toEqual([from, until])
})

test.each([
  ['+9000y', '2026-06-01', '9999-12-31'],
  ['+99999999999999999999h', '2026-06-01', '9999-12-31'],
  ['-9000y', '0000-01-01', '2026-06-01'],
  ['-123456789d', '0000-01-01', '2026-06-01'],
  ['-2026y', '0000-06-01', '2026-06-01'],
  ['+7000w', '2026-06-01', '2160-07-28'],
])('a span has any number of units, and ends with the calendar: %s', (text, from, until) => {
  const period = parsePeriod(text, Date.parse('2026-06-01T10:30:00Z'), 'UTC')!
  expect([dateText(period.from), dateText(period.until)]).toEqual([from, until])
  expect(instantText(period.from) < instantText(period.until)).toBe(true)
})

test('the first and the last day are days too', () => {
  expect(instantText(dayOf('9999-12-31', 'UTC').until) > '9999-12-31T23:59:59.999Z').toBe(true)
  expect(instantText(dayOf('0000-01-01', 'Etc/GMT-14').from)).toBe('0000-01-01T00:00:00.000Z')
})

test.each([
  ['this_quarter', 3, '2026-04-01T00:00:00.000Z', '2026-07-01T00:00:00.000Z'],
  ['this_year', 3, '2026-04-01T00:00:00.000Z', '2027-04-01T00:00:00.000Z'],
  ['last_year', 3, '2025-04-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
  ['this_quarter', 1, '2026-05-01T00:00:00.000Z', '2026-08-01T00:00:00.000Z'],
  ['this_year', 9, '2025-10-01T00:00:00.000Z', '2026-10-01T00:00:00.000Z'],
  ['this_month', 9, '2026-06-01T00:00:00.000Z', '2026-07-01T00:00:00.000Z'],
])('%s of a fiscal year that begins %i months after January', (text, offset, from, until) => {
  const period = parsePeriod(text, Date.parse('2026-06-15T10:30:00Z'), 'UTC', offset)!
  expect([instantText(period.from), instantText(period.until)]).toEqual([from, until])
})
