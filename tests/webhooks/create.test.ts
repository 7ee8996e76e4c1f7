import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { createKey, type Caller } from '../harness/people.ts'
import { pointersOf } from '../harness/records.ts'
import { webhooksOf, webhooksPath } from '../harness/webhooks.ts'

const app = await startApp()
const { api } = app
const url = 'https://receiver.example/hook'

test('the secret is in this answer alone, and encrypted in the database', async () => {
  await app.events()
  const filter = { object: 'deal', changed: ['stage'], where: { field: 'amount', op: 'Greater than', value: 5000 } }
  const answer = await api.post(webhooksPath, {
    as: 'member',
    body: { data: { type: 'webhook', attributes: { url, events: ['record.*'], filter, description: 'Stock' } } },
  })
  expect(answer.status).toBe(201)
  const { secret, ...rest } = answer.body.data.attributes
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(rest).toEqual({
    _id: rest._id,
    url,
    events: ['record.*'],
    filter,
    description: 'Stock',
    enabled: true,
    ordered: true,
    fifo: false,
    disabled_reason: null,
    disabled_at: null,
    failing_since: null,
    old_secret_until: null,
    owner_id: app.userIds.member,
    _created_at: expect.any(String),
    _created_by: app.userIds.member,
    _updated_at: rest._created_at,
  })
  const found = await api.get(`${webhooksPath}/${rest._id}`, { as: 'member' })
  expect(found.body).toEqual({ data: { type: 'webhook', id: rest._id, attributes: rest } })
  expect((await app.rows(await app.workspaceId('acme'))).join()).not.toContain(secret.slice('whsec_'.length))
  expect((await app.events()).map(({ type, record_id }) => [type, record_id])).toEqual([['webhook.created', rest._id]])
})

const deals = { object: 'deal' }
const wrong: [string, Json, number, string[]][] = [
  ['no URL', { url: 'receiver' }, 422, ['/url']],
  ['another protocol', { url: 'ftp://receiver.example/' }, 422, ['/url']],
  ['a URL with a password', { url: 'https://ann:secret@receiver.example/' }, 422, ['/url']],
  ['a private address', { url: 'http://10.0.0.1/' }, 422, ['/url']],
  ['a name of this machine', { url: 'http://localhost:9/' }, 422, ['/url']],
  ['a loopback address in other words', { url: 'http://[::ffff:7f00:2]/' }, 422, ['/url']],
  ['no events', { url, events: [] }, 422, ['/events']],
  ['what is no type', { url, events: ['record.created', 'Record'] }, 422, ['/events/1']],
  ['all in order, but not each', { url, ordered: false, fifo: true }, 422, ['/fifo']],
  ['fields of no object', { url, filter: { changed: ['stage'] } }, 422, ['/filter/object']],
  ['an unknown object', { url, filter: { object: 'spaceship' } }, 422, ['/filter/object']],
  ['an unknown field', { url, filter: { ...deals, changed: ['stage', 'wings'] } }, 422, ['/filter/changed/1']],
  [
    'a condition on an unknown field',
    { url, filter: { ...deals, where: { and: [{ field: 'wings', op: 'Is', value: 1 }] } } },
    400,
    ['/filter/where/and/0'],
  ],
  [
    'a condition that the field does not have',
    { url, filter: { ...deals, where: { field: 'amount', op: 'Starts with', value: 1 } } },
    400,
    ['/filter/where'],
  ],
]
test.for(wrong)('%s: refused', async ([, attributes, code, pointers]) => {
  const before = (await api.get(webhooksPath, { as: 'admin' })).body.meta.total_records
  const answer = await api.post(webhooksPath, { as: 'member', body: { events: ['*'], ...attributes } })
  expect([answer.status, pointersOf(answer)]).toEqual([code, pointers])
  expect((await api.get(webhooksPath, { as: 'admin' })).body.meta.total_records).toBe(before)
})

const detailOf = async (attributes: Json) =>
  (await api.post(webhooksPath, { as: 'member', body: { url, events: ['*'], ...attributes } })).body.errors[0]?.detail

test('a mistyped type of event is told the one that is meant, and a closed address how it is opened', async () => {
  expect(await detailOf({ events: ['record.update'] })).toMatch(
    /^Must be an event type .* Did you mean "record.updated"\?$/,
  )
  for (const closed of ['http://10.0.0.1/', 'http://localhost:9/hook'])
    expect(await detailOf({ url: closed })).toMatch(/is not public.*WEBHOOK_ALLOWED_HOSTS/)
})

test('is seen and changed by its owner and by admins', async () => {
  const mine = await webhooksOf(app, 'member').create({ url })
  const key = await createKey(api.post, 'admin', { kind: 'workspace' })
  const byKey = await webhooksOf(app, { authorization: `api-key ${key.key}` }).create({ url })
  expect(byKey['owner_id']).toBeNull()
  const seenBy = async (as: Caller, id: string) => (await api.get(`${webhooksPath}/${id}`, { as })).status
  const people = ['admin', 'member', 'viewer', { authorization: `api-key ${key.key}` }] as const
  expect(await Promise.all(people.map((as) => seenBy(as, mine['_id'])))).toEqual([200, 200, 404, 404])
  expect(await Promise.all(people.map((as) => seenBy(as, byKey['_id'])))).toEqual([200, 404, 404, 200])
  expect((await api.delete(`${webhooksPath}/${byKey['_id']}`, { as: 'member' })).status).toBe(404)
  expect((await api.post(webhooksPath, { as: 'viewer', body: { url, events: ['*'] } })).status).toBe(403)
})

test('a credential that may see less does not direct or read what one that may see more has made', async () => {
  const whole = await webhooksOf(app, 'member').create({ url })
  const { key } = await createKey(api.post, 'member', { scopes: ['webhooks:read', 'webhooks:write'] })
  const narrow = { authorization: `api-key ${key}` }
  const changed = await api.patch(`${webhooksPath}/${whole['_id']}`, { as: narrow, body: { url: `${url}/mine` } })
  expect([changed.status, changed.body.errors[0].code]).toEqual([403, 'forbidden'])
  expect((await api.post(`${webhooksPath}/${whole['_id']}/rotate-secret`, { as: narrow })).status).toBe(403)
  expect((await api.get(`${webhooksPath}/${whole['_id']}`, { as: narrow })).status).toBe(200)
  const own = await webhooksOf(app, narrow).create({ url })
  await webhooksOf(app, narrow).update(own['_id'], { description: 'Own' })
  const read = await createKey(api.post, 'member', { scopes: ['webhooks:read'] })
  const refused = await api.post(webhooksPath, {
    as: { authorization: `api-key ${read.key}` },
    body: { url, events: ['*'] },
  })
  expect([refused.status, refused.body.errors[0].code]).toEqual([403, 'insufficient_scope'])
})
