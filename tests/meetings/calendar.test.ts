import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import ICAL from 'ical.js'
import { expect, test } from 'vitest'
import { atEnd } from '../harness/at-end.ts'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'

const app = await startApp()
const now = new Date()
/** A day of this year in the form of calendars: what recurs is read around now. */
const year = now.getUTCFullYear()

/** A day near now, in the form of calendars. */
const near = (days: number): string =>
  new Date(now.getTime() + days * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')
const isoOf = (day: string, time: string): string =>
  `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T${time}:00.000Z`

const load = (body: Json, query: Json = {}) =>
  app.api.post('/workspaces/acme/meetings/import', { as: 'member', body, query })
const event = (lines: readonly string[]) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'].join('\r\n')
const calendar = (...parts: readonly string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Test//EN', ...parts, 'END:VCALENDAR', ''].join('\r\n')
const meetingsOf = async (uid: string): Promise<Json[]> =>
  (
    await app.api.get('/workspaces/acme/objects/meeting/resources', {
      as: 'member',
      query: {
        'filter[ical_uid][Is]': uid,
        'sortOrder[column]': 'start',
        'sortOrder[dir]': 'ASC',
        'page[limit]': 1000,
      },
    })
  ).body.data.map(({ attributes }: Json) => attributes)
const startsOf = async (uid: string) => (await meetingsOf(uid)).map(({ start }) => start)

const at = (uid: string, start: string) => event([`UID:${uid}`, start, 'DURATION:PT1H'])

const berlin = [
  'BEGIN:VTIMEZONE',
  'TZID:Berlin of the file',
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
].join('\r\n')

/** The instants of a series, as ical.js has them. */
function expected(text: string): string[] {
  const root = new ICAL.Component(ICAL.parse(text))
  const found = new ICAL.Event(root.getFirstSubcomponent('vevent')!)
  const occurrences = found.iterator()
  const starts: string[] = []
  for (let next = occurrences.next(); next; next = occurrences.next())
    starts.push(new Date(next.toUnixTime() * 1000).toISOString())
  return starts.toSorted()
}

/** The days of a week, in the form of calendars. */
const week = Array.from({ length: 5 }, (_, index) => near(index + 1))
const [monday = '', tuesday = '', wednesday = ''] = week

test('a week of meetings is imported twice, and exists once, with what was said in them', async () => {
  const people = [
    'ORGANIZER;CN=Grace Hopper:mailto:Grace@Example.com',
    'ATTENDEE;CN=Ada;PARTSTAT=ACCEPTED:mailto:ada@example.com',
  ]
  const text = calendar(
    event([
      'UID:one@test',
      `DTSTART:${monday}T093000Z`,
      `DTEND:${monday}T100000Z`,
      'SUMMARY:Kick-off\\, the first',
      ...people,
      'ATTENDEE:urn:nobody',
      'ATTENDEE;CUTYPE=ROOM;CN=Aula:mailto:aula@example.com',
    ]),
    event(['UID:two@test', `DTSTART;VALUE=DATE:${tuesday}`, 'SUMMARY:Away']),
    event(['UID:three@test', `DTSTART:${wednesday}T093000Z`, 'DURATION:PT45M', 'SUMMARY:Off', 'STATUS:CANCELLED']),
    event([
      'UID:daily@test',
      `DTSTART:${monday}T080000Z`,
      'DURATION:PT15M',
      'RRULE:FREQ=DAILY;COUNT=5',
      'SUMMARY:Daily',
      ...people,
    ]),
  )
  const rehearsal = await load({ ics: text }, { dry_run: true })
  expect([rehearsal.status, rehearsal.body.data.created.length]).toEqual([200, 7])
  expect(await meetingsOf('one@test')).toEqual([])
  const first = await load({ ics: text })
  expect(first.body.data).toMatchObject({ updated: [], unchanged: 0, skipped: 1, rejected: [] })
  expect(first.body.data.created).toHaveLength(7)
  const imported = await meetingsOf('one@test')
  expect(imported).toMatchObject([
    {
      title: 'Kick-off, the first',
      start: isoOf(monday, '09:30'),
      end: isoOf(monday, '10:00'),
      all_day: false,
      participants: {
        items: [
          { email: 'grace@example.com', name: 'Grace Hopper', organizer: true },
          { email: 'ada@example.com', name: 'Ada', status: 'accepted' },
          { email: 'aula@example.com', name: 'Aula', type: 'room' },
        ],
      },
    },
  ])
  expect(await meetingsOf('two@test')).toMatchObject([
    { all_day: true, start: isoOf(tuesday, '00:00'), end: isoOf(wednesday, '00:00') },
  ])
  const daily = await meetingsOf('daily@test')
  expect(daily.map(({ start }) => start)).toEqual(week.map((day) => isoOf(day, '08:00')))
  const recorded = [...imported, ...daily.slice(0, 2)]
  for (const { _id: id, title } of recorded) {
    const words = [{ text: `This is ${title}.`, start_timestamp: 0, end_timestamp: 2 }]
    const body = { transcript: [{ speaker: 'Ada', words }] }
    expect((await app.api.post(`/workspaces/acme/meetings/${id}/transcript`, { as: 'member', body })).status).toBe(201)
  }
  await app.events()
  const again = { created: [], updated: [], deleted: [], restored: [], unchanged: 7, skipped: 1, rejected: [] }
  expect((await load({ ics: text })).body.data).toEqual(again)
  expect(await app.events()).toEqual([])
  for (const { _id: id } of recorded) {
    const { body } = await app.api.get(`/workspaces/acme/meetings/${id}/recordings`, { as: 'member' })
    expect(body.data).toHaveLength(1)
  }
  for (const address of ['grace@example.com', 'ada@example.com', 'aula@example.com']) {
    const found = await app.api.get('/workspaces/acme/objects/person/resources', {
      query: { 'filter[email_addresses]': address },
    })
    expect([address, found.body.data.length]).toEqual([address, address.startsWith('aula') ? 0 : 1])
  }
  const moved = await load({ ics: text.replace(`${monday}T100000Z`, `${monday}T110000Z`) })
  expect(moved.body.data).toMatchObject({ created: [], unchanged: 6, skipped: 1 })
  expect(moved.body.data.updated).toHaveLength(1)
})

test('what recurs is what ical.js makes of it, over both changes of the clock', async () => {
  const rules = [
    'FREQ=WEEKLY;COUNT=60;BYDAY=MO,WE',
    'FREQ=MONTHLY;COUNT=14;BYDAY=-1FR',
    'FREQ=DAILY;INTERVAL=10;COUNT=35',
    'FREQ=MONTHLY;COUNT=9;BYMONTHDAY=31',
    'FREQ=YEARLY;COUNT=2',
  ]
  for (const [index, rule] of rules.entries()) {
    const uid = `series-${index}@test`
    const text = calendar(
      berlin,
      event([
        `UID:${uid}`,
        `DTSTART;TZID=Berlin of the file:${year}0107T023000`,
        'DURATION:PT30M',
        `RRULE:${rule}`,
        `EXDATE;TZID=Berlin of the file:${year}0112T023000`,
      ]),
    )
    const { status } = await load({ ics: text })
    expect(status).toBe(200)
    const within = expected(text).filter((start) => {
      const days = (Date.parse(start) - app.now()) / 86_400_000
      return days > -90 && days < 365
    })
    expect(await startsOf(uid)).toEqual(within)
  }
})

test('a zone that the file only names is one of the world, and a time without one is of the workspace', async () => {
  await app.api.post('/workspaces/acme/settings', { body: { key: 'time_zone', value: 'Asia/Kathmandu' } })
  await load({
    ics: calendar(
      at('named@test', `DTSTART;TZID=America/New_York:${year}0701T120000`),
      at('winter@test', `DTSTART;TZID=America/New_York:${year}0115T120000`),
      at('floating@test', `DTSTART:${year}0701T120000`),
      at('unknown@test', `DTSTART;TZID=Atlantis:${year}0701T120000`),
      at('windows@test', `DTSTART;TZID=W. Europe Standard Time:${year}0701T120000`),
    ),
  })
  await load({
    ics: calendar('X-WR-TIMEZONE:Europe/Berlin', at('of-file@test', `DTSTART:${year}0701T120000`)),
  })
  expect(await startsOf('windows@test')).toEqual([`${year}-07-01T10:00:00.000Z`])
  expect(await startsOf('of-file@test')).toEqual([`${year}-07-01T10:00:00.000Z`])
  expect(await startsOf('named@test')).toEqual([`${year}-07-01T16:00:00.000Z`])
  expect(await startsOf('winter@test')).toEqual([`${year}-01-15T17:00:00.000Z`])
  expect(await startsOf('floating@test')).toEqual([`${year}-07-01T06:15:00.000Z`])
  expect(await startsOf('unknown@test')).toEqual([`${year}-07-01T06:15:00.000Z`])
})

test('an occurrence that was moved or left out is, whenever the calendar is read', async () => {
  const series = [
    'UID:moved@test',
    `DTSTART:${near(1)}T090000Z`,
    'DURATION:PT1H',
    'RRULE:FREQ=DAILY;COUNT=3',
    'SUMMARY:Daily',
  ]
  await load({ ics: calendar(event(series)) })
  const change = (day: string, more: readonly string[]) =>
    event(['UID:moved@test', `RECURRENCE-ID:${day}T090000Z`, ...more])
  const { body } = await load({
    ics: calendar(
      event(series),
      change(near(2), [`DTSTART:${near(2)}T140000Z`, 'DURATION:PT1H', 'SUMMARY:Later']),
      change(near(3), [`DTSTART:${near(3)}T090000Z`, 'STATUS:CANCELLED']),
    ),
  })
  expect(body.data).toMatchObject({ created: [], unchanged: 1, skipped: 0, deleted: [expect.any(String)] })
  expect(await startsOf('moved@test')).toEqual([isoOf(near(1), '09:00'), isoOf(near(2), '14:00')])
})

test('two imports at once make each meeting once', async () => {
  const text = calendar(
    ...Array.from({ length: 5 }, (_, index) =>
      event([`UID:at-once-${index}@test`, `DTSTART:${year}0601T0${index}0000Z`, 'DURATION:PT1H']),
    ),
  )
  const answers = await Promise.all([load({ ics: text }), load({ ics: text }), load({ ics: text })])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  for (let index = 0; index < 5; index++) expect(await meetingsOf(`at-once-${index}@test`)).toHaveLength(1)
})

test('a calendar is fetched from a URL, and faults are told', async () => {
  const text = calendar(event(['UID:fetched@test', `DTSTART:${year}0601T090000Z`, 'DURATION:PT1H']))
  // Each fold is within a character, as some programs make them that count bytes.
  const greeting = calendar(event(['UID:folded@test', `DTSTART:${year}0601T090000Z`, 'SUMMARY:Grüße']))
  const folded = Buffer.from(Buffer.from(greeting).toString('latin1').replaceAll('Ã', 'Ã\r\n '), 'latin1')
  const server = createServer((request, response) => {
    if (request.url === '/calendar.ics') response.setHeader('Content-Type', 'text/calendar').end(text)
    else if (request.url === '/folded.ics') response.end(folded)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  expect((await load({ url: `${origin}/calendar.ics` })).body.data.created).toHaveLength(1)
  expect((await load({ url: `${origin}/folded.ics` })).body.data.created).toHaveLength(1)
  expect((await meetingsOf('folded@test')).map(({ title }) => title)).toEqual(['Grüße'])
  const faults = [
    [{ url: `${origin}/none.ics` }, '/url'],
    [{ url: 'http://10.1.2.3/calendar.ics' }, '/url'],
    [{ url: 'http://169.254.169.254/latest/meta-data' }, '/url'],
    [{ ics: 'nothing' }, '/ics'],
    [{ ics: calendar(event(['UID:x', 'DTSTART:19700101T000000Z', 'RRULE:FREQ=SECONDLY'])) }, '/ics'],
    [{ ics: calendar(event(['UID:x', 'DTSTART:yesterday'])) }, '/ics'],
    [{ ics: calendar(event(['UID:x', `DTSTART:${year}0601T090000Z`, 'DURATION:P9999999W'])) }, '/ics'],
  ] as const
  for (const [body, pointer] of faults) {
    const refused = await load(body)
    expect([body, refused.status, refused.body.errors?.[0].source]).toEqual([body, 422, { pointer }])
  }
  expect((await load({})).status).toBe(422)
  expect((await load({ ics: text, url: origin })).status).toBe(422)
})

test('what another member has imported is left to them, and what was deleted stays so', async () => {
  const text = calendar(event(['UID:theirs@test', `DTSTART:${year}0601T090000Z`, 'DURATION:PT1H']))
  const { created } = (await load({ ics: text })).body.data
  const colleague = await app.addMember('member', 'planner')
  const again = await app.api.post('/workspaces/acme/meetings/import', { as: colleague.as, body: { ics: text } })
  expect(again.body.data).toEqual({
    created: [],
    updated: [],
    deleted: [],
    restored: [],
    unchanged: 0,
    skipped: 1,
    rejected: [],
  })
  await recordsOf(app, 'member').get('meeting', created[0])
  await app.api.delete(`/workspaces/acme/objects/meeting/records/${created[0]}`, { as: 'member' })
  expect((await load({ ics: text })).body.data).toMatchObject({ created: [], skipped: 1 })
})
