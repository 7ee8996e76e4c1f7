import { describe, expect, test } from 'vitest'
import { activitiesOf } from '../harness/activities.ts'
import { startApp } from '../harness/app.ts'
import { commentsOf, paragraph } from '../harness/comments.ts'
import type { Json } from '../harness/http.ts'
import { type Caller, createKey } from '../harness/people.ts'
import { freshAddress, recordsOf, recordsPath, resourcesPath, unknownId } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)
const comments = commentsOf(app)
const feed = activitiesOf(app)

const withKey = ({ key }: { readonly key: string }) => ({ as: { authorization: `api-key ${key}` } })

const eventsOf = (activities: readonly Json[]): Json[] => activities.flatMap(({ attributes }) => attributes.data)

test('a new record has one activity, shaped as the specification says', async () => {
  const person = await records.create('person', { job_title: 'Senator' })
  const { status, body } = await feed.list('person', person.id)
  expect(status).toBe(200)
  const time = person.attributes._created_at
  expect(body).toEqual({
    data: [
      {
        type: 'activity',
        id: expect.any(String),
        attributes: {
          _id: body.data[0].id,
          _created_at: time,
          aggKey: `person:${person.id}:svc:create`,
          data: [
            {
              _id: expect.any(String),
              _created_at: time,
              type: 'svc:create',
              actor: { _id: app.userIds.member, anonymous_id: null, entity: 'user', source_id: null },
              object: {
                _id: person.id,
                anonymous_id: null,
                entity: 'person',
                diff: [{ op: 'add', path: ['job_title'], val: 'Senator', oldVal: null }],
              },
            },
          ],
        },
      },
    ],
    meta: { total_records: 1, total_pages: 1, offset: 0, limit: 500 },
    links: { next: null, prev: null },
  })
})

describe('what changed', () => {
  test('of each field its value before and after', async () => {
    const { id } = await records.create('person', {
      job_title: 'Senator',
      description: 'Old',
      labels: { items: ['a'] },
    })
    await records.patch('person', id, {
      job_title: 'Consul',
      description: null,
      linkedin: 'https://example.com/in/x',
      labels: { items: ['a', 'b'] },
      name: { first_name: 'Ada', last_name: 'Lovelace' },
    })
    const [newest] = await feed.all('person', id)
    expect(
      newest.attributes.data[0].object.diff.toSorted((a: Json, b: Json) => (a.path[0] < b.path[0] ? -1 : 1)),
    ).toEqual([
      { op: 'delete', path: ['description'], val: null, oldVal: 'Old' },
      { op: 'update', path: ['job_title'], val: 'Consul', oldVal: 'Senator' },
      { op: 'update', path: ['labels'], val: { items: ['a', 'b'] }, oldVal: { items: ['a'] } },
      { op: 'add', path: ['linkedin'], val: 'https://example.com/in/x', oldVal: null },
      {
        op: 'add',
        path: ['name'],
        val: { first_name: 'Ada', last_name: 'Lovelace', full_name: 'Ada Lovelace' },
        oldVal: null,
      },
    ])
  })

  test('a write that changes nothing, one that is refused and one that is only tried leave no activity', async () => {
    const address = freshAddress()
    await records.create('person', { email_addresses: { items: [address] } })
    const { id } = await records.create('person', { job_title: 'Senator' })
    const before = await feed.all('person', id)
    expect((await records.patch('person', id, { job_title: 'Senator' })).status).toBe(200)
    expect((await records.patch('person', id, { email_addresses: { items: [address] } })).status).toBe(409)
    expect((await records.patch('person', id, { job_title: 5 })).status).toBe(422)
    expect((await records.patch('person', id, { job_title: 'Consul' }, {}, { query: { dry_run: true } })).status).toBe(
      200,
    )
    expect((await app.api.delete(`${recordsPath('person')}/${id}`, { query: { dry_run: true } })).status).toBe(200)
    expect(await feed.all('person', id)).toEqual(before)
  })

  test('links made with the record, and references that its deletion clears', async () => {
    const [ada, ben] = await records.createMany('person', [{}, {}])
    const data = [ada, ben].map(({ id }) => ({ type: 'person', id }))
    const { body } = await app.api.post(resourcesPath('deal'), {
      as: 'member',
      body: { data: { type: 'deal', attributes: {}, relationships: { people: { data } } } },
    })
    const [linked] = await feed.all('deal', body.data.id)
    expect(linked.attributes.aggKey).toBe(`deal:${body.data.id}:svc:set-relationship`)
    expect(linked.attributes.data[0].object.diff).toEqual([
      { op: 'add', path: ['people'], val: [ada.id, ben.id], oldVal: null },
    ])
    const company = await records.create('company', {})
    await records.patch('person', ada.id, { company_id: company.id })
    await app.api.delete(`${recordsPath('company')}/${company.id}`)
    const cleared = eventsOf(await feed.all('person', ada.id, { 'filter[type]': 'svc:update' }))
    expect(cleared.map(({ actor, object }) => [actor._id, object.diff])).toEqual(
      expect.arrayContaining([
        [app.userIds.member, [{ op: 'add', path: ['company_id'], val: company.id, oldVal: null }]],
        [app.userIds.admin, [{ op: 'delete', path: ['company_id'], val: null, oldVal: company.id }]],
      ]),
    )
  })

  test('records that were written together each have their own', async () => {
    const made = await records.createMany(
      'person',
      Array.from({ length: 3 }, (_, index) => ({ job_title: `Job ${index}` })),
    )
    const data = made.map(({ id }, index) => ({ type: 'person', id, attributes: { job_title: `Better job ${index}` } }))
    expect((await app.api.patch(recordsPath('person'), { as: 'member', body: { data } })).status).toBe(200)
    for (const [index, { id }] of made.entries()) {
      expect(await feed.outline('person', id)).toEqual(['svc:update 1', 'svc:create 1'])
      const [newest] = await feed.all('person', id)
      expect(newest.attributes.data[0].object.diff).toEqual([
        { op: 'update', path: ['job_title'], val: `Better job ${index}`, oldVal: `Job ${index}` },
      ])
    }
  })

  test('a record that match_on found is updated, also twice in one body', async () => {
    const address = freshAddress()
    const row = (job_title: string) => ({
      type: 'person',
      attributes: { job_title, email_addresses: { items: [address] } },
    })
    const { body } = await app.api.post(`${recordsPath('person')}/bulk`, {
      as: 'member',
      body: { data: [row('One'), row('Two'), row('Three')], match_on: 'email_addresses' },
    })
    expect(await feed.outline('person', body.data[0].id)).toEqual(['svc:update 2', 'svc:create 1'])
    await app.api.post(`${recordsPath('person')}/bulk`, {
      as: 'member',
      body: { data: [row('Four'), row('Five')], match_on: 'email_addresses' },
    })
    expect(await feed.outline('person', body.data[0].id)).toEqual(['svc:update 4', 'svc:create 1'])
  })

  test('comments are in it, with what they said', async () => {
    const { id } = await records.create('person', {})
    const comment = await comments.create('person', id, 'Hello')
    const changed = (await comments.patch(comment._id, paragraph('Hello there'))).body
    await comments.remove(comment._id)
    const path = ['comments', comment._id, 'message']
    const told = (await feed.all('person', id)).map(({ attributes }) => [
      attributes.aggKey,
      attributes.data[0].object.diff,
    ])
    expect(told.slice(0, 3)).toEqual([
      [`person:${id}:comment:delete`, [{ op: 'delete', path, val: null, oldVal: changed.message }]],
      [`person:${id}:comment:update`, [{ op: 'update', path, val: changed.message, oldVal: comment.message }]],
      [`person:${id}:comment:create`, [{ op: 'add', path, val: comment.message, oldVal: null }]],
    ])
  })
})

describe('who did it', () => {
  test('a user, by name or through a key of theirs, and a key of the workspace', async () => {
    const { id } = await records.create('person', {})
    const own = await createKey(app.api.post, 'member')
    const shared = await createKey(app.api.post, 'admin', { kind: 'workspace' })
    await records.patch('person', id, { job_title: 'One' })
    await records.patch('person', id, { job_title: 'Two' }, {}, withKey(own))
    await records.patch('person', id, { job_title: 'Three' }, {}, withKey(shared))
    const found = (await feed.all('person', id)).map(({ attributes }) =>
      attributes.data.map(({ actor }: Json) => actor),
    )
    const user = { _id: app.userIds.member, anonymous_id: null, entity: 'user' }
    expect(found).toEqual([
      [{ _id: shared.id, anonymous_id: null, entity: 'api-key', source_id: shared.id }],
      [
        { ...user, source_id: null },
        { ...user, source_id: own.id },
      ],
      [{ ...user, source_id: null }],
    ])
  })

  test('the event has the id that it has in the outbox', async () => {
    const { id } = await records.create('person', {})
    const [event] = eventsOf(await feed.all('person', id))
    expect(await app.eventIds(id)).toEqual([event._id])
  })
})

describe('who reads it', () => {
  const who: [Caller, number][] = [
    ['admin', 200],
    ['member', 200],
    ['memberKey', 200],
    ['workspaceKey', 200],
    ['viewer', 200],
    ['stranger', 404],
    ['anonymous', 401],
  ]
  test.for(who)('%s: %i', async ([as, status]) => {
    const { id } = await records.create('person', {})
    expect((await feed.list('person', id, {}, { as })).status).toBe(status)
  })

  test('no caller, where the record is deleted, hidden, of another object or was never there', async () => {
    const meeting = await records.create('meeting', { title: 'Theirs' }, { as: 'admin' })
    for (const as of ['member', 'memberKey', 'workspaceKey', 'viewer'] as const)
      expect((await feed.list('meeting', meeting.id, {}, { as })).status).toBe(404)
    expect((await feed.list('meeting', meeting.id, {}, { as: 'admin' })).status).toBe(200)
    const { id } = await records.create('person', {})
    expect((await feed.list('company', id)).status).toBe(404)
    await app.api.delete(`${recordsPath('person')}/${id}`)
    expect((await feed.list('person', id, {}, { as: 'admin' })).status).toBe(404)
    for (const wrong of [unknownId, 'nothing']) expect((await feed.list('person', wrong)).status).toBe(404)
    expect((await feed.list('persn', unknownId)).body.errors[0].detail).toContain('person')
  })
})
