import { expect, test } from 'vitest'
import { readCalendar } from './read.ts'

const read = (...lines: readonly string[]) =>
  readCalendar(['BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR', ''].join('\r\n'), {
    now: Date.parse('2026-06-15T00:00:00Z'),
    timeZone: 'America/New_York',
  })
const event = (...lines: readonly string[]) => ['BEGIN:VEVENT', 'UID:a', ...lines, 'END:VEVENT']
const only = (...lines: readonly string[]) => read(...lines).series[0]?.occurrences[0]
const startOf = (...lines: readonly string[]) => new Date(only(...lines)?.startsAt ?? 0).toISOString().slice(0, 16)

/** Names of zones as programs write them, and the instant at which clocks there show nine on the first of July. */
const zones = [
  ['Europe/Berlin', '07:00'],
  ['europe/berlin', '07:00'],
  ['Berlin', '07:00'],
  ['/freeassociation.sourceforge.net/Tzfile/Europe/Berlin', '07:00'],
  ['/softwarestudio.org/Olson_20011030_5/America/Argentina/Buenos_Aires', '12:00'],
  ['W. Europe Standard Time', '07:00'],
  ['Pacific Daylight Time', '16:00'],
  ['Eastern Time (US & Canada)', '13:00'],
  ['(UTC-08:00) Pacific Time (US & Canada)', '16:00'],
  ['(GMT-08.00) Pacific Time (US & Canada)', '16:00'],
  ['(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna', '07:00'],
  ['(GMT+01:00) Amsterdam / Berlin / Bern / Rome / Stockholm / Vienna', '07:00'],
  ['(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi', '03:30'],
  ['(UTC+00:00) Dublin, Edinburgh, Lisbon, London', '08:00'],
  ['(UTC+03:00) Nowhere', '06:00'],
  ['(UTC) Coordinated Universal Time', '09:00'],
  ['tzone://Microsoft/Utc', '09:00'],
  ['GMT+0200', '07:00'],
  ['Nowhere', '13:00'],
] as const

test.each(zones)('knows the zone %s, in quotes or without', (name, start) => {
  for (const written of [`"${name}"`, name.includes(',') ? `"${name}"` : name])
    expect([written, startOf(...event(`DTSTART;TZID=${written}:20260701T090000`))]).toEqual([
      written,
      `2026-07-01T${start}`,
    ])
})

test('what a file defines of a zone counts, however it writes the name', () => {
  for (const [defined, used] of [
    ['(UTC+01:00) Amsterdam\\, Berlin', '"(UTC+01:00) Amsterdam, Berlin"'],
    ['"Company Time"', 'Company Time'],
    ['company time', 'Company Time'],
    ['Europe/Berlin', 'Europe/Berlin'],
  ]) {
    const offsets = ['DTSTART:16010101T000000', 'TZOFFSETFROM:+0300', 'TZOFFSETTO:+0300']
    const zone = ['BEGIN:VTIMEZONE', `TZID:${defined}`, 'BEGIN:STANDARD', ...offsets, 'END:STANDARD', 'END:VTIMEZONE']
    expect([used, startOf(...zone, ...event(`DTSTART;TZID=${used}:20260701T090000`))]).toEqual([
      used,
      '2026-07-01T06:00',
    ])
  }
})

test('finds the addresses of participants wherever they are written', () => {
  const people = [
    ['ATTENDEE;CN=Grace;EMAIL=grace@example.com:/aMjM/principal/', { email: 'grace@example.com', name: 'Grace' }],
    ['ATTENDEE;EMAIL="ada@example.com":urn:uuid:1', { email: 'ada@example.com' }],
    ['ATTENDEE:MAILTO: <lin@example.com>', { email: 'lin@example.com' }],
    ['ATTENDEE:mailto:mei%2Bwork@example.com', { email: 'mei+work@example.com' }],
    [`ATTENDEE;CN="Kofi ^'Ko^' A^^":mailto:kofi@example.com`, { email: 'kofi@example.com', name: 'Kofi "Ko" A^' }],
    ['ATTENDEE;CN=Room:invalid:nomail', undefined],
  ] as const
  for (const [line, participant] of people)
    expect(only(...event('DTSTART:20260701T090000Z', line))?.participants).toEqual(participant ? [participant] : [])
})

test('a whole day without a length is one day', () => {
  for (const length of ['DURATION:PT0S', 'DURATION:P1D', 'DTEND;VALUE=DATE:20260701', 'DTEND;VALUE=DATE:20260702'])
    expect(only(...event('DTSTART;VALUE=DATE:20260701', length))).toMatchObject({
      startsAt: Date.parse('2026-07-01T04:00Z'),
      endsAt: Date.parse('2026-07-02T04:00Z'),
    })
})
