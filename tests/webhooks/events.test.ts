import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { createKey, type Caller } from '../harness/people.ts'
import { receiver, status, verify } from '../harness/receiver.ts'
import { until } from '../harness/until.ts'
import { webhooksOf, webhooksPath } from '../harness/webhooks.ts'

const app = await startApp()
const { api } = app
const hooks = webhooksOf(app)
await app.startJobs()

/** Is told of every person, whom no other webhook here is told of. */
const witness = await receiver()
await hooks.create({ url: witness.url, events: ['record.created'], filter: { object: 'person' } })

const O = '/workspaces/acme/objects'
const minute = 60_000

const create = async (object: string, attributes: Json = {}, as: Caller = 'admin'): Promise<string> => {
  const { status: code, body } = await api.post(`${O}/${object}/records`, {
    as,
    body: { data: { type: object, attributes } },
  })
  expect([code, body.errors]).toEqual([201, undefined])
  return body.data.id
}
const update = async (object: string, id: string, attributes: Json): Promise<void> => {
  const { status: code } = await api.patch(`${O}/${object}/records/${id}`, {
    body: { data: { type: object, id, attributes } },
  })
  expect(code).toBe(200)
}
/** Waits until what has happened was looked at for all webhooks, and what there was to send is sent. */
const quiet = async (): Promise<void> => {
  const last = await create('person')
  await until(() => witness.got.some(({ body }) => body.record_id === last))
  await app.quiet()
}
/** Time stands still, so that nothing is sent again, until it is let on by so much. */
const holdTime = () => {
  app.stopClock(app.now())
  onTestFinished(() => app.stopClock(undefined))
}
const letOn = async (ms: number): Promise<void> => {
  app.stopClock(undefined)
  await app.advance(ms)
}
const told = (got: readonly { readonly body: Json }[]) => got.map(({ body }) => [body.type, body.record_id])

test('sends each event of the types and the object that were asked for, once', async () => {
  const there = await receiver()
  const { secret } = await hooks.create({
    url: there.url,
    events: ['record.created', 'record.deleted'],
    filter: { object: 'company' },
  })
  await create('person')
  const id = await create('company', { name: 'Acme' })
  await update('company', id, { name: 'Acme Corporation' })
  await api.delete(`${O}/company/records/${id}`)
  await there.until(2)
  await quiet()
  expect(told(there.got)).toEqual([
    ['record.created', id],
    ['record.deleted', id],
  ])
  const [created] = there.got
  expect(verify(created!, secret)).toEqual({
    id: expect.any(String),
    type: 'record.created',
    timestamp: expect.any(String),
    sequence: expect.any(Number),
    object: 'company',
    record_id: id,
    actor: { _id: app.userIds.admin, entity: 'user' },
    silent: false,
    data: { diff: expect.arrayContaining([{ op: 'add', path: ['name'], val: 'Acme', oldVal: null }]) },
  })
})

test('sends what changes a field, and what matches a condition when it is read', async () => {
  const there = await receiver()
  await hooks.create({
    url: there.url,
    events: ['record.*'],
    filter: { object: 'deal', changed: ['stage'], where: { field: 'amount', op: 'Greater than', value: 5000 } },
  })
  const [small, large] = [await create('deal', { amount: 10, stage: 'Lead' }), await create('deal', { amount: 9000 })]
  await update('deal', small, { stage: 'Won' })
  await update('deal', large, { amount: 9001 })
  await update('deal', large, { stage: 'Won' })
  await there.until(1)
  await quiet()
  expect(told(there.got)).toEqual([['record.updated', large]])
})

test('sends the events of a record in order, and those of others meanwhile', async () => {
  holdTime()
  const there = await receiver()
  there.answer(status(500))
  const { _id } = await hooks.create({ url: there.url, events: ['record.*'], filter: { object: 'task' } })
  const first = await create('task', { title: 'One' })
  await there.until(1)
  await hooks.settled(_id, (await hooks.deliveries(_id))[0]!['_id'], { attempts: 1 })
  await update('task', first, { title: 'Two' })
  await update('task', first, { title: 'Three' })
  const other = await create('task', { title: 'Other' })
  await there.until(2)
  await quiet()
  expect(told(there.got)).toEqual([
    ['record.created', first],
    ['record.created', other],
  ])
  expect(
    (await hooks.deliveries(_id, { 'filter[status]': 'pending' })).map(
      ({ next_attempt_at }) => next_attempt_at === null,
    ),
  ).toEqual([true, true, false])
  await letOn(minute)
  await there.until(5)
  expect(told(there.got.slice(2))).toEqual([
    ['record.created', first],
    ['record.updated', first],
    ['record.updated', first],
  ])
  expect(there.got.slice(3).map(({ body }) => body.data.diff[0].val)).toEqual(['Two', 'Three'])
})

test('asked to, it sends all events one after another; asked for less, the others at once', async () => {
  holdTime()
  const there = await receiver()
  there.answer(status(500))
  const { _id } = await hooks.create({ url: there.url, events: ['record.*'], fifo: true, filter: { object: 'task' } })
  const first = await create('task', { title: 'One' })
  await there.until(1)
  await hooks.settled(_id, (await hooks.deliveries(_id))[0]!['_id'], { attempts: 1 })
  const other = await create('task', { title: 'Other' })
  await update('task', first, { title: 'Two' })
  await quiet()
  expect(told(there.got)).toEqual([['record.created', first]])
  await letOn(minute)
  await there.until(4)
  expect(told(there.got.slice(1))).toEqual([
    ['record.created', first],
    ['record.created', other],
    ['record.updated', first],
  ])
  await app.quiet()
  holdTime()
  there.answer(status(500))
  const third = await create('task', { title: 'Third' })
  await there.until(5)
  await hooks.settled(_id, (await hooks.deliveries(_id))[0]!['_id'], { attempts: 1 })
  const fourth = await create('task', { title: 'Fourth' })
  await update('task', third, { title: 'Third again' })
  await quiet()
  expect((await hooks.update(_id, { fifo: false }))['fifo']).toBe(false)
  await there.until(6)
  await quiet()
  expect(told(there.got.slice(4))).toEqual([
    ['record.created', third],
    ['record.created', fourth],
  ])
})

test('without order, the later events of a record do not wait', async () => {
  holdTime()
  const there = await receiver()
  there.answer(status(500))
  const { _id } = await hooks.create({
    url: there.url,
    events: ['record.*'],
    ordered: false,
    filter: { object: 'task' },
  })
  const id = await create('task', { title: 'One' })
  await there.until(1)
  await hooks.settled(_id, (await hooks.deliveries(_id))[0]!['_id'], { attempts: 1 })
  await update('task', id, { title: 'Two' })
  await there.until(2)
  expect(told(there.got)).toEqual([
    ['record.created', id],
    ['record.updated', id],
  ])
})

test('sends what its owner may see, and no more than the credential that made it', async () => {
  const [ofAdmin, ofMember, ofKey] = [await receiver(), await receiver(), await receiver()]
  const filter = { object: 'meeting' }
  await hooks.create({ url: ofAdmin.url, events: ['record.*'], filter })
  await webhooksOf(app, 'member').create({ url: ofMember.url, events: ['record.*'], filter })
  const { key } = await createKey(api.post, 'admin', { scopes: ['webhooks:write', 'records:read:company'] })
  await webhooksOf(app, { authorization: `api-key ${key}` }).create({ url: ofKey.url, events: ['*'] })
  const hidden = await create('meeting', { title: 'Board' })
  const company = await create('company', { name: 'Seen' })
  await ofAdmin.until(1)
  await ofKey.until(1)
  await quiet()
  expect(told(ofAdmin.got)).toEqual([['record.created', hidden]])
  expect(ofMember.got).toEqual([])
  expect(told(ofKey.got)).toEqual([['record.created', company]])
})

test('ends with the member, and with the key that made it; enabled again it is its enabler’s', async () => {
  const there = await receiver()
  const person = await app.addMember('member', 'leaver')
  const as = { authorization: `Bearer ${(await app.issuer.mint(person.id)).access_token}` }
  const left = await webhooksOf(app, as).create({ url: there.url, events: ['record.created'] })
  const { id: keyId, key } = await createKey(api.post, 'admin')
  const keyed = await webhooksOf(app, { authorization: `api-key ${key}` }).create({
    url: there.url,
    events: ['record.created'],
  })
  expect((await api.delete(`/workspaces/acme/users/${person.id}`)).status).toBe(200)
  expect((await api.delete(`/workspaces/acme/api-keys/${keyId}`)).status).toBe(200)
  await create('company')
  await quiet()
  expect(await hooks.get(left['_id'])).toMatchObject({ disabled_reason: 'owner_left' })
  expect(await hooks.get(keyed['_id'])).toMatchObject({ disabled_reason: 'credential_ended' })
  expect(there.got).toEqual([])
  const again = await hooks.update(left['_id'], { enabled: true })
  expect(again).toMatchObject({ enabled: true, owner_id: app.userIds.admin })
  const company = await create('company')
  await there.until(1)
  expect(told(there.got)).toEqual([['record.created', company]])
})

test('a filter that no longer fits the schemas disables', async () => {
  const there = await receiver()
  const S = '/workspaces/acme/schemas'
  const properties = { name: { type: 'string', xSvcPrimary: true }, founded: { xSvcType: 'date' } }
  const made = await api.post(`${S}/objects`, { body: { name: 'Guild', plural: 'Guilds', properties } })
  const { title, ...document } = made.body.data.attributes
  const where = { field: 'founded', op: 'Is not empty' }
  const { _id } = await hooks.create({ url: there.url, events: ['*'], filter: { object: title, where } })
  const { founded: _gone, ...rest } = document.properties
  const replaced = await api.put(`${S}/objects/${title}`, { body: { ...document, properties: rest } })
  expect(replaced.status).toBe(200)
  await app.idle()
  await create(title, { name: 'Smiths' })
  await quiet()
  expect(await hooks.get(_id)).toMatchObject({ disabled_reason: 'filter_broken' })
})

test('disabled it gives up what waits and keeps what it misses; recovered it sends both, in order', async () => {
  holdTime()
  const there = await receiver()
  there.answer(status(500))
  const { _id } = await hooks.create({ url: there.url, events: ['record.*'], filter: { object: 'task' } })
  const since = new Date(app.now()).toISOString()
  const id = await create('task', { title: 'One' })
  await there.until(1)
  await hooks.settled(_id, (await hooks.deliveries(_id))[0]!['_id'], { attempts: 1 })
  await update('task', id, { title: 'Two' })
  await until(async () => (await hooks.deliveries(_id)).length === 2)
  await hooks.update(_id, { enabled: false })
  const given = await hooks.deliveries(_id, { 'filter[status]': 'failed', 'filter[type]': 'record.updated' })
  expect(given).toMatchObject([{ attempts: 0, error: 'The webhook was disabled.', next_attempt_at: null }])
  await update('task', id, { title: 'Missed' })
  await quiet()
  const missed = await hooks.deliveries(_id, { 'filter[status]': 'skipped_disabled' })
  expect(missed).toMatchObject([
    { attempts: 0, next_attempt_at: null, event: { type: 'record.updated', record_id: id } },
  ])
  await hooks.update(_id, { enabled: true })
  await quiet()
  expect(told(there.got)).toHaveLength(1)
  expect((await hooks.deliveries(_id, { 'filter[status]': 'undelivered' })).map((one) => one['status'])).toEqual([
    'skipped_disabled',
    'failed',
    'failed',
  ])
  const { status: code, body } = await api.post(`${webhooksPath}/${_id}/recover`, { body: { since } })
  expect([code, body.meta.deliveries]).toEqual([202, 3])
  await there.until(4)
  await quiet()
  expect(told(there.got.slice(1))).toEqual([
    ['record.created', id],
    ['record.updated', id],
    ['record.updated', id],
  ])
  expect(there.got.slice(2).map((one) => one.body.data.diff[0].val)).toEqual(['Two', 'Missed'])
  expect(await hooks.deliveries(_id, { 'filter[status]': 'undelivered' })).toEqual([])
  const resent = await api.post(`${webhooksPath}/${_id}/deliveries/${given[0]!['_id']}/resend`)
  expect([resent.status, resent.body.data.attributes.status]).toEqual([202, 'pending'])
  await there.until(5)
  expect(there.got[4]!.headers['webhook-id']).toBe(given[0]!['_id'])
})
