import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'

const app = await startApp()

/** Days from today, in the form of calendars. */
const day = (days: number): string =>
  new Date(app.now() + days * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')
const iso = (days: number, time: string) =>
  `${new Date(app.now() + days * 86_400_000).toISOString().slice(0, 10)}T${time}:00.000Z`

const event = (...lines: readonly string[]) => ['BEGIN:VEVENT', 'DURATION:PT1H', ...lines, 'END:VEVENT']
const load = async (events: readonly (readonly string[])[], ...header: readonly string[]): Promise<Json> => {
  const ics = ['BEGIN:VCALENDAR', ...header, ...events.flat(), 'END:VCALENDAR', ''].join('\r\n')
  const { status, body } = await app.api.post('/workspaces/acme/meetings/import', { as: 'member', body: { ics } })
  expect([status, body.errors]).toEqual([200, undefined])
  return body.data
}

const meetingsOf = async (uid: string): Promise<Json[]> =>
  (
    await app.api.get('/workspaces/acme/objects/meeting/resources', {
      as: 'member',
      query: { 'filter[ical_uid][Is]': uid, 'sortOrder[column]': 'start', 'sortOrder[dir]': 'ASC' },
    })
  ).body.data.map(({ attributes }: Json) => attributes)
const startsOf = async (uid: string) => (await meetingsOf(uid)).map(({ start }) => start)
const titlesOf = async (uid: string) => (await meetingsOf(uid)).map(({ title }) => title)

const series = (uid: string, hour: string, count: number, ...more: readonly string[]) =>
  event(`UID:${uid}`, `DTSTART:${day(1)}T${hour}0000Z`, `RRULE:FREQ=DAILY;COUNT=${count}`, 'SUMMARY:Daily', ...more)

test('a series has exactly the instances of its newest version', async () => {
  const { created } = await load([series('moved@test', '09', 3, 'SEQUENCE:1')])
  const comment = { entity: 'meeting', owner_id: created[1], message: [paragraph('Bring the numbers')] }
  expect((await app.api.post('/workspaces/acme/comments', { as: 'member', body: comment })).status).toBe(201)

  // At another hour: what people have attached something to stays, and says that it does not take place.
  const moved = await load([series('moved@test', '11', 3, 'SEQUENCE:2')])
  expect(moved).toMatchObject({ deleted: [created[0], created[2]], updated: [created[1]] })
  expect(await startsOf('moved@test')).toEqual([iso(1, '11:00'), iso(2, '09:00'), iso(2, '11:00'), iso(3, '11:00')])
  expect(await titlesOf('moved@test')).toEqual(['Daily', 'Canceled: Daily', 'Daily', 'Daily'])

  // An older version takes nothing back and adds nothing; a shorter one has no tail.
  const stale = await load([series('moved@test', '09', 5, 'SEQUENCE:1')])
  expect(stale).toMatchObject({ created: [], updated: [], deleted: [], restored: [] })
  expect((await load([series('moved@test', '11', 1, 'SEQUENCE:3')])).deleted).toHaveLength(2)
  expect(await startsOf('moved@test')).toEqual([iso(1, '11:00'), iso(2, '09:00')])
  expect(await load([series('moved@test', '11', 1, 'SEQUENCE:3')])).toMatchObject({ created: [], deleted: [] })
})

const paragraph = (text: string) => ({
  id: 'one',
  type: 'paragraph',
  children: [],
  content: [{ type: 'text', text, styles: {} }],
})

test('an event that begins to recur, or recurs no more, stays the meeting that it was', async () => {
  const single = event('UID:grows@test', `DTSTART:${day(1)}T090000Z`, 'SUMMARY:Daily')
  const {
    created: [id],
  } = await load([single])
  const grown = await load([series('grows@test', '09', 3, 'SEQUENCE:1')])
  expect([grown.created.length, grown.deleted, (await meetingsOf('grows@test'))[0]?.['_id']]).toEqual([2, [], id])
  expect((await load([event('UID:grows@test', `DTSTART:${day(1)}T090000Z`, 'SEQUENCE:2')])).deleted).toHaveLength(2)
  expect((await meetingsOf('grows@test')).map(({ _id }) => _id)).toEqual([id])
})

test('METHOD:CANCEL cancels an event, one instance, or one and all later', async () => {
  const cancel = (uid: string, ...more: readonly string[]) => [
    event(`UID:${uid}`, `DTSTART:${day(1)}T090000Z`, 'SEQUENCE:1', ...more),
  ]
  for (const uid of ['all@test', 'one@test', 'tail@test']) await load([series(uid, '09', 3)], 'METHOD:REQUEST')
  await load(cancel('all@test'), 'METHOD:CANCEL')
  await load(cancel('one@test', `RECURRENCE-ID:${day(2)}T090000Z`), 'METHOD:CANCEL')
  await load(cancel('tail@test', `RECURRENCE-ID;RANGE=THISANDFUTURE:${day(2)}T090000Z`), 'METHOD:CANCEL')
  expect(await startsOf('all@test')).toEqual([])
  expect(await startsOf('one@test')).toEqual([iso(1, '09:00'), iso(3, '09:00')])
  expect(await startsOf('tail@test')).toEqual([iso(1, '09:00')])
})

test('METHOD:REPLY changes the status of one attendee, and other methods change nothing', async () => {
  const people = ['ada', 'grace'].map((name) => `ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:${name}@reply.example`)
  await load([series('reply@test', '09', 2, ...people)], 'METHOD:REQUEST')
  const reply = (status: string, ...more: readonly string[]) =>
    event(
      'UID:reply@test',
      `DTSTART:${day(9)}T000000Z`,
      'SUMMARY:Re: Daily',
      `ATTENDEE;PARTSTAT=${status}:mailto:Ada@reply.example`,
      ...more,
    )
  expect((await load([reply('ACCEPTED')], 'METHOD:REPLY')).updated).toHaveLength(2)
  const declined = await load([reply('DECLINED', `RECURRENCE-ID:${day(2)}T090000Z`)], 'METHOD:REPLY')
  expect(declined.updated).toHaveLength(1)
  for (const method of ['COUNTER', 'REFRESH', 'DECLINECOUNTER'])
    expect(await load([reply('TENTATIVE')], `METHOD:${method}`)).toMatchObject({ updated: [], created: [], skipped: 1 })
  expect(
    (await meetingsOf('reply@test')).map(({ title, start, participants }) => [title, start, ...participants.items]),
  ).toEqual([
    [
      'Daily',
      iso(1, '09:00'),
      { email: 'ada@reply.example', status: 'accepted' },
      { email: 'grace@reply.example', status: 'needs-action' },
    ],
    [
      'Daily',
      iso(2, '09:00'),
      { email: 'ada@reply.example', status: 'declined' },
      { email: 'grace@reply.example', status: 'needs-action' },
    ],
  ])
})

test('one event that cannot be read is reported, and its meetings stay', async () => {
  await load([series('bad@test', '09', 2)])
  const answer = await load([
    event('UID:bad@test', 'DTSTART:soon', 'SEQUENCE:5'),
    event('UID:good@test', `DTSTART:${day(1)}T090000Z`),
  ])
  expect(answer).toMatchObject({
    deleted: [],
    rejected: [{ ical_uid: 'bad@test', line: 2, detail: expect.any(String) }],
  })
  expect(answer.created).toHaveLength(1)
  expect(await startsOf('bad@test')).toHaveLength(2)
})
