import { expect, test } from 'vitest'
import { readCalendar, type Calendar } from './read.ts'

const now = Date.parse('2026-01-15T00:00:00Z')

const berlin = [
  'BEGIN:VTIMEZONE',
  'TZID:Company Time',
  'BEGIN:DAYLIGHT',
  'DTSTART:19700329T020000',
  'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'END:DAYLIGHT',
  'BEGIN:STANDARD',
  'DTSTART:19701025T030000',
  'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'END:STANDARD',
  'END:VTIMEZONE',
]

const event = (...lines: readonly string[]) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']
const read = (...lines: readonly string[]): Calendar =>
  readCalendar(['BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR', ''].join('\r\n'), { now, timeZone: 'America/New_York' })
const iso = (instant: number) => new Date(instant).toISOString().replace(':00.000Z', 'Z')
const live = ({ series }: Calendar) =>
  series.flatMap(({ occurrences }) => occurrences.filter(({ isCancelled }) => !isCancelled))
const starts = (calendar: Calendar) =>
  live(calendar)
    .map(({ startsAt }) => iso(startsAt))
    .toSorted()

const ends = (...lines: readonly string[]) => live(read(...event('UID:a', ...lines))).map(({ endsAt }) => iso(endsAt))
const refused = (text: string) => () => readCalendar(text, { now, timeZone: 'UTC' })

/** A series at nine in Berlin over the change of the clock, in each way of naming its zone. */
const zoned = [
  ['a zone of the world', 'DTSTART;TZID=Europe/Berlin:20260323T090000', []],
  ['one of Windows', 'DTSTART;TZID=W. Europe Standard Time:20260323T090000', []],
  ['one with a path of a vendor', 'DTSTART;TZID=/citadel.org/20210210_1/Europe/Berlin:20260323T090000', []],
  ['one in quotes', 'DTSTART;TZID="Europe/Berlin":20260323T090000', []],
  ['one that the file defines', 'DTSTART;TZID=Company Time:20260323T090000', berlin],
  ['one of the calendar', 'DTSTART:20260323T090000', ['X-WR-TIMEZONE:Europe/Berlin']],
] as const

/** Every way to name the third instance, 30 March 2026 at nine in Berlin, of a series that has a zone. */
const names = (name: string, zone: string) => [
  [`${name}:20260330T070000Z`],
  [`${name};TZID=${zone}:20260330T090000`],
  [`${name};TZID=America/New_York:20260330T030000`],
  [`${name}:20260330T090000`],
  [`${name};VALUE=DATE:20260330`],
  [`${name};VALUE=DATE-TIME;TZID="${zone}":20260330T090000`],
  [`${name}:20260330T090000+0200`],
]

test.each(zoned)('names instances in any form: %s', (_, start, more) => {
  const zone = more === berlin ? 'Company Time' : 'Europe/Berlin'
  const master = ['UID:a', start, 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;COUNT=3']
  expect(starts(read(...more, ...event(...master)))).toEqual([
    '2026-03-23T08:00Z',
    '2026-03-30T07:00Z',
    '2026-04-06T07:00Z',
  ])
  for (const [left] of names('EXDATE', zone))
    expect([left, starts(read(...more, ...event(...master, left!)))]).toEqual([
      left,
      ['2026-03-23T08:00Z', '2026-04-06T07:00Z'],
    ])
  for (const [named] of names('RECURRENCE-ID', zone)) {
    const moved = event('UID:a', named!, 'DTSTART:20260331T120000Z', 'DURATION:PT1H')
    const calendar = read(...more, ...event(...master), ...moved)
    expect([named, starts(calendar)]).toEqual([named, ['2026-03-23T08:00Z', '2026-03-31T12:00Z', '2026-04-06T07:00Z']])
    expect(live(calendar).map(({ original }) => iso(original))).toContain('2026-03-30T07:00Z')
  }
  for (const [added] of names('RDATE', zone))
    expect([added, starts(read(...more, ...event(...master.slice(0, 3), added!)))]).toEqual([
      added,
      ['2026-03-23T08:00Z', '2026-03-30T07:00Z'],
    ])
})

test('names whole days in any form', () => {
  const master = ['UID:a', 'DTSTART;VALUE=DATE:20260105', 'RRULE:FREQ=DAILY;COUNT=3']
  for (const left of [
    'EXDATE;VALUE=DATE:20260106',
    'EXDATE:20260106',
    'EXDATE:20260106T000000',
    'EXDATE:20260106T000000Z',
  ])
    expect([left, starts(read(...event(...master, left)))]).toEqual([left, ['2026-01-05T05:00Z', '2026-01-07T05:00Z']])
  const several = read(...event(...master, 'EXDATE:20260105,20260107'))
  expect(live(several).map(({ startsAt, endsAt, isAllDay }) => [iso(startsAt), iso(endsAt), isAllDay])).toEqual([
    ['2026-01-06T05:00Z', '2026-01-07T05:00Z', true],
  ])
})

test('ends each event where its end says, in whatever zone', () => {
  expect(ends('DTSTART;TZID=Europe/Berlin:20260110T090000', 'DTEND;TZID=America/New_York:20260110T040000')).toEqual([
    '2026-01-10T09:00Z',
  ])
  expect(ends('DTSTART;TZID=Europe/Berlin:20260110T090000', 'DTEND:20260110T093000Z')).toEqual(['2026-01-10T09:30Z'])
  expect(ends('DTSTART:20260110T090000Z', 'DURATION:P1DT1H')).toEqual(['2026-01-11T10:00Z'])
  expect(ends('DTSTART:20260110T090000Z')).toEqual(['2026-01-10T09:00Z'])
  expect(ends('DTSTART;VALUE=DATE:20260307', 'DTEND;VALUE=DATE:20260309')).toEqual(['2026-03-09T04:00Z'])
  expect(
    ends('DTSTART:20260110T090000Z', 'RDATE;VALUE=PERIOD:20260111T090000Z/PT3H,20260112T090000Z/20260112T093000Z'),
  ).toEqual(['2026-01-10T09:00Z', '2026-01-11T12:00Z', '2026-01-12T09:30Z'])
})

test('takes the newest version of an event, wherever it is in the file', () => {
  const version = (title: string, sequence: number, ...more: readonly string[]) =>
    event('UID:a', 'DTSTART:20260110T090000Z', `SUMMARY:${title}`, `SEQUENCE:${sequence}`, ...more)
  const titles = (...lines: readonly string[]) => live(read(...lines)).map(({ title }) => title)
  expect(titles(...version('New', 2), ...version('Old', 1))).toEqual(['New'])
  expect(titles(...version('Old', 1), ...version('New', 2))).toEqual(['New'])
  expect(
    titles(...version('New', 1, 'DTSTAMP:20260102T000000Z'), ...version('Old', 1, 'DTSTAMP:20260101T000000Z')),
  ).toEqual(['New'])
  expect(titles(...version('First', 1), ...version('Last', 1))).toEqual(['Last'])
  const exception = (title: string, sequence: number) => version(title, sequence, 'RECURRENCE-ID:20260110T090000Z')
  const master = event('UID:a', 'DTSTART:20260110T090000Z', 'RRULE:FREQ=DAILY;COUNT=1', 'SEQUENCE:9')
  expect(titles(...exception('New', 2), ...exception('Old', 1), ...master)).toEqual(['New'])
  // Of an older series, and no instance of this one.
  expect(
    starts(read(...master, ...event('UID:a', 'DTSTART:20260111T090000Z', 'RECURRENCE-ID:20260110T080000Z'))),
  ).toEqual(['2026-01-10T09:00Z'])
})

test('moves all later instances with one that is for them too', () => {
  const master = event(
    'UID:a',
    'DTSTART:20260105T090000Z',
    'DURATION:PT1H',
    'RRULE:FREQ=DAILY;COUNT=4',
    'SUMMARY:Daily',
  )
  const later = event(
    'UID:a',
    'RECURRENCE-ID;RANGE=THISANDFUTURE:20260107T090000Z',
    'DTSTART:20260107T100000Z',
    'SUMMARY:Later',
  )
  const calendar = read(...master, ...later)
  expect(starts(calendar)).toEqual(['2026-01-05T09:00Z', '2026-01-06T09:00Z', '2026-01-07T10:00Z', '2026-01-08T10:00Z'])
})

test('tells events without a UID from each other, and gives each the same key again', () => {
  const text = [
    ...event('DTSTART:20260110T090000Z', 'SUMMARY:One'),
    ...event('DTSTART:20260110T090000Z', 'SUMMARY:Two'),
    ...event('DTSTART:20260111T090000Z', 'SUMMARY:Two'),
  ]
  const keys = live(read(...text)).map(({ key }) => key)
  expect(new Set(keys).size).toBe(3)
  expect(live(read(...text)).map(({ key, uid }) => [key, uid])).toEqual(keys.map((key) => [key, null]))
})

test('reports each event that cannot be read, and reads the others', () => {
  const bad = [
    ['UID:none'],
    ['UID:b', 'DTSTART:yesterday'],
    ['UID:c', 'DTSTART:20260230T090000Z'],
    ['UID:d', 'DTSTART:20260110T090000Z', 'DURATION:P999999999W'],
    ['UID:e', 'DTSTART:20260110T090000Z', 'DTEND:20260110T080000Z'],
    ['UID:f', 'DTSTART:19700101T000000Z', 'RRULE:FREQ=SECONDLY'],
    ['UID:g', 'DTSTART:20260110T090000Z', 'RRULE:FREQ=DAILY;BYMONTH=13'],
    ['UID:h', 'DTSTART:20260110T090000Z', 'RRULE:FREQ=SOMETIMES'],
    ['UID:i', 'DTSTART:20260110T090000Z', 'RRULE:FREQ=DAILY;COUNT=2', 'EXDATE:never'],
    ['UID:j', 'DTSTART:00010101T000000Z', 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=1'],
  ]
  const calendar = read(...bad.flatMap((lines) => event(...lines)), ...event('UID:good', 'DTSTART:20260110T090000Z'))
  expect(calendar.rejected.map(({ uid }) => uid)).toEqual(bad.map(([uid = '']) => uid.slice(4)))
  expect(calendar.rejected.every(({ detail, line }) => detail.length > 10 && line > 0)).toBe(true)
  expect(live(calendar).map(({ uid }) => uid)).toEqual(['good'])
})

test('a bad exception leaves its instance as it is, and the rest of its series is read', () => {
  const calendar = read(
    ...event('UID:a', 'DTSTART:20260105T090000Z', 'RRULE:FREQ=DAILY;COUNT=3'),
    ...event('UID:a', 'RECURRENCE-ID:20260106T090000Z', 'DTSTART:nowhen'),
  )
  expect(calendar.rejected).toHaveLength(1)
  expect(calendar.series[0]?.kept.map(iso)).toEqual(['2026-01-06T09:00Z'])
  expect(starts(calendar)).toEqual(['2026-01-05T09:00Z', '2026-01-07T09:00Z'])
})

test('a rule that never matches has no instances, and takes no time', () => {
  for (const rule of [
    'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=YEARLY;BYWEEKNO=53;BYMONTH=5',
  ])
    expect(read(...event('UID:a', 'DTSTART:00010101T000000Z', `RRULE:${rule}`))).toMatchObject({
      rejected: [],
      series: [{ occurrences: [] }],
    })
})

test('what is cut off or no calendar is refused', () => {
  expect(refused('nothing')).toThrow('not an iCalendar file')
  expect(refused('BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nEND:VEVENT\n')).toThrow('is incomplete')
})
