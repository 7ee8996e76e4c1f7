import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { pointersOf, recordsOf } from '../harness/records.ts'

/** Shapes that programs send which were written for other servers of this API. */
const app = await startApp()
const base = '/workspaces/acme'
const records = recordsOf(app)

test('a transcript takes speakers that are numbered, named, or neither', async () => {
  const { id } = await records.create('meeting', { title: 'Kick-off' })
  const transcript = [1, 'b', null].map((speaker_id) => ({ speaker_id, words: [{ text: 'Hm' }] }))
  const sent = await app.api.post(`${base}/meetings/${id}/transcript`, { body: { transcript } })
  expect(sent.status).toBe(201)
  const path = `${base}/meetings/${id}/recordings/${sent.body.data.id}`
  const read = await app.api.get(`${path}/transcript`)
  expect(read.body.data.attributes.transcript.map((one: Json) => one['speaker_id'])).toEqual([1, 'b', null])
  expect((await app.api.post(`${path}/artifacts`, { query: { silent: true } })).status).toBe(201)
})

test('an export takes its search as an object, and silent', async () => {
  await records.createMany('company', [{ name: 'Found Inc' }, { name: 'Other Inc' }])
  const list = await app.api.post(`${base}/objects/company/lists`, {
    body: { title: 'All', type: 'dynamic', query: { sql: 'SELECT * FROM company' } },
  })
  const exported = await app.api.post(`${base}/objects/company/lists/${list.body.data.id}/rows/csv`, {
    query: { silent: true },
    body: { search: { query: 'found' }, fields: ['name'] },
  })
  expect([exported.status, exported.body.match(/\w+ Inc/g)]).toEqual([200, ['Found Inc']])
})

test('a grant names its grantee as a delegate', async () => {
  const { id } = await records.create('company', { name: 'Shared' })
  const grant = (attributes: Json) =>
    app.api.post(`${base}/objects/company/records/${id}/access`, {
      body: { data: { type: 'object-access', attributes: { access_level: 'view', ...attributes } } },
    })
  const given = await grant({ delegate_id: app.userIds.member })
  expect([given.status, given.body.data?.attributes]).toMatchObject([
    201,
    { grantee_type: 'user', grantee_id: app.userIds.member, access_level: 'view' },
  ])
  expect((await grant({ delegate_type: 'workspace' })).status).toBe(201)
  expect(pointersOf(await grant({ delegate_id: id }))).toEqual(['/data/attributes/delegate_id'])
  expect((await grant({})).status).toBe(422)
})

test('a workflow takes entity for object and null for no limit, and is sent back as it was read', async () => {
  const limits = { max_runs_per_record: null, cooldown_period_days: null, max_runs_per_minute: 5, max_depth: null }
  const made = await app.api.post(`${base}/workflows`, {
    body: {
      name: 'Alias',
      trigger: { plugin_id: 'on:svc:create:record', input: { entity: 'deal' }, next: 'note' },
      blocks: {
        note: {
          plugin_id: 'svc:create:record',
          // Both names may be sent, as long as they agree.
          input: { entity: 'task', object: 'task', attributes: { title: 'Look' } },
          prev: 'trigger',
        },
      },
      run_limits: limits,
      enabled: true,
    },
  })
  expect([made.status, made.body.errors]).toEqual([201, undefined])
  const read = made.body.data.attributes
  expect([read.trigger.input, read.blocks.note.input.object, read.run_limits]).toEqual([
    { object: 'deal' },
    'task',
    { max_runs_per_minute: 5 },
  ])
  const send = (attributes: Json) => app.api.patch(`${base}/workflows/${read._id}`, { body: attributes })
  const back = await send({ ...read, name: 'Renamed' })
  expect([back.status, back.body.errors, back.body.data?.attributes.name]).toEqual([200, undefined, 'Renamed'])
  for (const other of [{ version: 7 }, { owner_id: app.userIds.member }, { acting_id: app.userIds.member }])
    expect([(await send(other)).status, pointersOf(await send(other))]).toEqual([422, [`/${Object.keys(other)[0]}`]])
})

test('a campaign is sent back as it was read', async () => {
  const { body } = await app.api.post(`${base}/campaigns`, { body: { name: 'Spring' } })
  const path = `${base}/campaigns/${body.data.id}`
  const back = await app.api.patch(path, { body: { ...body.data.attributes, name: 'Summer' } })
  expect([back.status, back.body.errors]).toEqual([200, undefined])
  expect(pointersOf(await app.api.patch(path, { body: { enabled: true } }))).toEqual(['/enabled'])
})

test('deleted records are compared with seconds', async () => {
  const { id } = await records.create('company', { name: 'Gone' })
  await app.api.delete(`${base}/objects/company/records/${id}`)
  const seconds = Math.floor(app.now() / 1000)
  const found = async (operator: string, value: number) =>
    (
      await app.api.get(`${base}/objects/company/deleted-resources`, {
        query: { [`filter[_deleted_at][${operator}]`]: value },
      })
    ).body.data?.length
  expect(await found('Greater than', seconds - 3600)).toBe(1)
  expect(await found('Less than', seconds - 3600)).toBe(0)
  expect(await found('Less than', seconds + 3600)).toBe(1)
})

test('the setting decides which coming meetings of a calendar are recorded, and no others', async () => {
  await app.api.post(`${base}/settings`, { body: { key: 'meetingRecordingScope', value: 'external' } })
  const at = (days: number) => new Date(app.now() + days * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')
  const event = (name: string, days: number, email: string) =>
    [`BEGIN:VEVENT`, `UID:${name}`, `DTSTART:${at(days)}T090000Z`, `ATTENDEE:mailto:${email}`, `END:VEVENT`].join(
      '\r\n',
    )
  const events = [
    event('in', 2, 'member@example.com'),
    event('out', 2, 'a@b.example'),
    event('past', -2, 'a@b.example'),
  ]
  const send = (...sent: string[]) =>
    app.api.post(`${base}/meetings/import`, {
      body: { ics: ['BEGIN:VCALENDAR', ...sent, 'END:VCALENDAR'].join('\r\n') },
    })
  await send(...events)
  await send(event('in', 3, 'a@b.example'))
  await records.create('meeting', { participants: { items: [{ email: 'a@b.example' }] } })
  const { body } = await app.api.get(`${base}/objects/meeting/resources`, {
    query: { 'filter[recording_enabled]': true },
  })
  expect(body.data.map(({ attributes }: Json) => attributes.ical_uid)).toEqual(['out'])
})

test('a time without a zone is one of the workspace, and an offset needs no colon', async () => {
  await app.api.post(`${base}/settings`, { body: { key: 'time_zone', value: 'Europe/Berlin' } })
  const { attributes } = await records.create('meeting', {
    title: 'Local',
    start: '2026-12-31T09:00',
    end: '2026-07-01T09:00:00+0900',
  })
  expect([attributes.start, attributes.end]).toEqual(['2026-12-31T08:00:00.000Z', '2026-07-01T00:00:00.000Z'])
})
