import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'

const app = await startApp()

const load = async (lines: readonly string[], query: Json = {}): Promise<Json> => {
  const ics = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VEVENT', ...lines, 'END:VEVENT', 'END:VCALENDAR', ''].join(
    '\r\n',
  )
  const { status, body } = await app.api.post('/workspaces/acme/meetings/import', {
    as: 'member',
    body: { ics },
    query,
  })
  expect([status, body.errors]).toEqual([200, undefined])
  return body
}

const titlesOf = async (uid: string): Promise<string[]> =>
  (
    await app.api.get('/workspaces/acme/objects/meeting/resources', {
      as: 'member',
      query: { 'filter[ical_uid][Is]': uid, 'sortOrder[column]': 'start', 'sortOrder[dir]': 'ASC' },
    })
  ).body.data.map(({ attributes }: Json) => attributes.title)

/** A day near now, in the form of calendars. */
const near = (days: number): string =>
  new Date(app.now() + days * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')

const version = (title: string, sequence: number, stamp: string, more: readonly string[] = []) => [
  'UID:versions@test',
  `DTSTART:${near(5)}T090000Z`,
  'DURATION:PT1H',
  `SUMMARY:${title}`,
  `SEQUENCE:${sequence}`,
  `DTSTAMP:${stamp}`,
  ...more,
]

test('the highest version of an event counts, and of one version what was written last', async () => {
  await load(version('Second', 2, '20260102T000000Z'))
  for (const stale of [version('First', 1, '20260301T000000Z'), version('Earlier', 2, '20260101T000000Z')])
    expect((await load(stale)).data).toMatchObject({ updated: [], unchanged: 0, skipped: 1 })
  expect(await titlesOf('versions@test')).toEqual(['Second'])
  expect((await load(version('Later', 2, '20260103T000000Z'))).data.updated).toHaveLength(1)
  expect((await load(version('Third', 3, '20260101T000000Z'))).data.updated).toHaveLength(1)
  expect((await load(version('Later', 2, '20260103T000000Z'))).data.skipped).toBe(1)
  expect((await load(version('Off', 2, '20260104T000000Z', ['STATUS:CANCELLED']))).data.deleted).toEqual([])
  expect(await titlesOf('versions@test')).toEqual(['Third'])
})

const daily = (title: string, more: readonly string[] = []) => [
  'UID:daily@test',
  `DTSTART:${near(1)}T090000Z`,
  'DURATION:PT1H',
  'RRULE:FREQ=DAILY;COUNT=3',
  `SUMMARY:${title}`,
  ...more,
]

test('the meeting of what was cancelled is deleted, unless there is something to keep', async () => {
  const { created } = (await load(daily('Daily'))).data
  const transcript = [{ speaker: 'Ada', words: [{ text: 'Hello', start_timestamp: 0, end_timestamp: 1 }] }]
  const recorded = await app.api.post(`/workspaces/acme/meetings/${created[1]}/transcript`, {
    as: 'member',
    body: { transcript },
  })
  expect(recorded.status).toBe(201)

  const oneLess = daily('Daily', [`EXDATE:${near(1)}T090000Z`])
  const rehearsal = await load(oneLess, { dry_run: true })
  expect(rehearsal.data).toMatchObject({ deleted: [created[0]], unchanged: 2 })
  expect(rehearsal.meta.diff).toContainEqual({ op: 'delete', path: ['_id'], val: null, oldVal: created[0] })
  expect(await titlesOf('daily@test')).toHaveLength(3)
  expect((await load(oneLess)).data).toMatchObject({ deleted: [created[0]], updated: [], unchanged: 2 })
  expect((await load(oneLess)).data).toMatchObject({ deleted: [], created: [], unchanged: 2, skipped: 1 })

  const none = daily('Daily', ['STATUS:CANCELLED'])
  expect((await load(none)).data).toMatchObject({ deleted: [created[2]], updated: [created[1]] })
  expect(await titlesOf('daily@test')).toEqual(['Canceled: Daily'])
  expect((await load(none)).data).toMatchObject({ deleted: [], updated: [], unchanged: 1 })
})

const review = (title: string, sequence: number, more: readonly string[] = []) => [
  'UID:back@test',
  ...version(title, sequence, '20260102T000000Z', more).slice(1),
]

test('a meeting that its calendar had cancelled comes back when it takes place after all', async () => {
  const {
    created: [id],
  } = (await load(review('Review', 0, ['ATTENDEE;CN=Ada:mailto:ada-back@example.com']))).data
  expect((await load(review('Review', 1, ['STATUS:CANCELLED']))).data.deleted).toEqual([id])
  expect((await load(review('Review', 0))).data).toMatchObject({ restored: [], skipped: 1 })
  expect(await titlesOf('back@test')).toEqual([])

  const confirmed = review('Review after all', 2, ['STATUS:CONFIRMED'])
  const rehearsal = await load(confirmed, { dry_run: true })
  expect(rehearsal.data).toMatchObject({ created: [], restored: [id] })
  expect(rehearsal.meta.diff).toContainEqual({ op: 'add', path: ['_id'], val: id, oldVal: null })
  expect(await titlesOf('back@test')).toEqual([])
  expect((await load(confirmed)).data).toMatchObject({ created: [], restored: [id], updated: [id], skipped: 0 })
  expect(await titlesOf('back@test')).toEqual(['Review after all'])
  expect((await load(confirmed)).data).toMatchObject({ restored: [], unchanged: 1 })

  const remove = () => app.api.delete(`/workspaces/acme/objects/meeting/records/${id}`, { as: 'member' })
  expect((await remove()).status).toBe(200)
  expect((await load(review('Review', 3, ['STATUS:CONFIRMED']))).data).toMatchObject({ restored: [], skipped: 1 })
  expect(await titlesOf('back@test')).toEqual([])
})

const series = (more: readonly string[] = []) => ['UID:again@test', ...daily('Daily', more).slice(1)]

test('an occurrence that is no longer left out comes back, and not as another meeting', async () => {
  const { created } = (await load(series())).data
  expect((await load(series([`EXDATE:${near(2)}T090000Z`]))).data.deleted).toEqual([created[1]])
  expect((await load(series())).data).toMatchObject({ created: [], restored: [created[1]], updated: [], unchanged: 2 })
  expect(await titlesOf('again@test')).toHaveLength(3)
})

test('a credential that deletes nothing marks what was cancelled', async () => {
  const event = ['UID:marked@test', `DTSTART:${near(2)}T090000Z`, 'DURATION:PT1H', 'SUMMARY:Review']
  await load(event)
  const { body } = await app.api.post('/workspaces/acme/api-keys', {
    as: 'member',
    body: {
      data: {
        type: 'api-key',
        attributes: { name: 'Calendar', scopes: ['records:read', 'records:write'], actor_type: 'user' },
      },
    },
  })
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VEVENT', ...event, 'STATUS:CANCELLED', 'END:VEVENT']
  const answer = await app.http.send({
    method: 'POST',
    url: `${app.baseUrl}/workspaces/acme/meetings/import`,
    headers: {
      Authorization: `api-key ${body.data.attributes.cleartext_api_key}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ ics: [...lines, 'END:VCALENDAR', ''].join('\r\n') }),
  })
  expect([answer.status, answer.body.data.deleted]).toEqual([200, []])
  expect(await titlesOf('marked@test')).toEqual(['Canceled: Review'])
})
