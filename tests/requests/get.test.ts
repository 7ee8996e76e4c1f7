import { expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { RequestOptions } from '../harness/api.ts'
import { holdRecord } from '../harness/held-record.ts'
import type { Answer } from '../harness/http.ts'
import { createKey, type Caller } from '../harness/people.ts'
import { nextNumber, recordsOf, recordsPath } from '../harness/records.ts'
import { until } from '../harness/until.ts'

const app = await startApp()
const second = await startApp({ beside: app })
const records = recordsOf(app)
const isPostgres = inject('database') === 'postgres'
/** Another app in this process, where there may be several. */
const node = isPostgres ? second : app

const freshKey = (): string => `key ${nextNumber()}/a#1`
const under = (key: string) => ({ headers: { 'Idempotency-Key': key } })
const narrowed = async (...scopes: string[]): Promise<Caller> => ({
  authorization: `api-key ${(await createKey(app.api.post, 'admin', { scopes })).key}`,
})
const get = (key: string, options: RequestOptions = {}, at: Pick<typeof app, 'api'> = app): Promise<Answer> =>
  at.api.get(`/workspaces/acme/requests/${encodeURIComponent(key)}`, { as: 'member', ...options })
const person = { data: { type: 'person', attributes: { job_title: 'Once' } } }

test('a change that was committed, with what it answered', async () => {
  const key = freshKey()
  const { body: answered } = await app.api.post(recordsPath('person'), { as: 'member', body: person, ...under(key) })
  const { status, body } = await get(key)
  expect(status).toBe(200)
  expect(body).toEqual({
    data: {
      type: 'request',
      id: key,
      attributes: {
        _id: key,
        endpoint: 'records.create',
        status: 201,
        body: answered,
        _created_at: expect.any(String),
        expires_at: expect.any(String),
      },
    },
    meta: { endpoints: ['records.create'] },
  })
  const { _created_at, expires_at } = body.data.attributes
  expect(Date.parse(expires_at) - Date.parse(_created_at)).toBe(24 * 3_600_000)
  // Through a key of the same user, and on another app.
  expect((await get(key, { as: 'memberKey' }, second)).body).toEqual(body)
})

test("404 for what was never sent, was refused, was a dry run, or was another caller's", async () => {
  const [refused, dry, other] = [freshKey(), freshKey(), freshKey()]
  expect(
    (await app.api.post(recordsPath('person'), { as: 'member', body: { data: {} }, ...under(refused) })).status,
  ).toBe(422)
  expect(
    (await app.api.post(recordsPath('person'), { as: 'member', body: person, query: { dry_run: true }, ...under(dry) }))
      .status,
  ).toBe(201)
  expect((await app.api.post(recordsPath('person'), { as: 'admin', body: person, ...under(other) })).status).toBe(201)
  for (const key of [freshKey(), refused, dry, other, 'x'.repeat(300), 'ü'])
    expect((await get(key)).body.errors[0].code, key).toBe('not_found')
  expect((await get(other, { as: 'adminKey' })).status).toBe(200)
  expect((await get(other, { as: 'workspaceKey' })).status).toBe(404)
  expect(
    (await app.api.get(`/workspaces/other/requests/${encodeURIComponent(other)}`, { as: 'stranger' })).status,
  ).toBe(404)
})

test('one key for several operations: the latest, or the one that is asked for', async () => {
  const key = freshKey()
  const { id } = (await app.api.post(recordsPath('person'), { as: 'member', body: person, ...under(key) })).body.data
  await app.advance(1000)
  await app.api.patch(`${recordsPath('person')}/${id}`, {
    as: 'member',
    body: { data: { type: 'person', attributes: { job_title: 'Twice' } } },
    ...under(key),
  })
  const latest = await get(key)
  expect([latest.body.data.attributes.endpoint, latest.body.meta]).toEqual([
    'records.update',
    { endpoints: ['records.update', 'records.create'] },
  ])
  expect((await get(key, { query: { endpoint: 'records.create' } })).body.data.attributes).toMatchObject({
    endpoint: 'records.create',
    status: 201,
  })
  for (const endpoint of ['records.remove', 'nothing'])
    expect((await get(key, { query: { endpoint } })).status).toBe(404)
})

test('an answer without a body', async () => {
  const key = freshKey()
  const [into, from] = await records.createMany('person', [{}, {}])
  await app.api.post(`${recordsPath('person')}/${into.id}/merges`, {
    as: 'member',
    body: { data: { type: 'person', attributes: { sources: [from.id] } } },
    ...under(key),
  })
  expect((await get(key)).body.data.attributes).toMatchObject({ endpoint: 'records.merge', status: 204, body: null })
})

test('a secret is not told again, nor what a narrower credential may not read', async () => {
  const key = freshKey()
  const { body: made } = await app.api.post('/workspaces/acme/api-keys', {
    body: { data: { type: 'api-key', attributes: { name: 'x' } } },
    ...under(key),
  })
  const secret = await get(key, { as: 'admin' })
  expect(secret.body.data.attributes).toMatchObject({ endpoint: 'apiKeys.create', status: 201, body: null })
  expect(JSON.stringify(secret.body)).not.toContain(made.data.attributes.cleartext_api_key)

  const other = freshKey()
  await app.api.post(recordsPath('person'), { body: person, ...under(other) })
  const seen = async (...scopes: string[]) => (await get(other, { as: await narrowed(...scopes) })).body.data.attributes
  expect(await seen('records:write')).toMatchObject({ status: 201, body: { data: { type: 'person' } } })
  for (const scope of ['lists:read', 'records:read', 'records:write:person'])
    expect(await seen(scope), scope).toMatchObject({ endpoint: 'records.create', status: 201, body: null })
})

test('nor what it takes another scope of records to read', async () => {
  const key = freshKey()
  const { id } = await records.create('company', {})
  const message = [{ type: 'paragraph', content: [{ type: 'text', text: 'Between us' }] }]
  expect(
    (
      await app.api.post('/workspaces/acme/comments', {
        body: { entity: 'company', owner_id: id, message },
        ...under(key),
      })
    ).status,
  ).toBe(201)
  const seen = async (...scopes: string[]) => JSON.stringify((await get(key, { as: await narrowed(...scopes) })).body)
  expect(await seen('comments:write', 'records:read')).toContain('Between us')
  for (const scopes of [['comments:write'], ['records:read'], ['comments:write', 'records:read:person']])
    expect(await seen(...scopes), String(scopes)).not.toContain('Between us')
})

test('nor what it takes a role that its caller has lost', async () => {
  const key = freshKey()
  const colleague = await app.addMember('admin', 'demoted')
  const sent = await app.api.post('/workspaces/acme/settings', {
    as: colleague.as,
    body: { key: 'time_zone', value: 'Europe/Berlin' },
    ...under(key),
  })
  expect(sent.status).toBe(201)
  const told = async () => (await get(key, { as: colleague.as })).body.data.attributes.body
  expect(await told()).toEqual(sent.body)
  const body = { data: { type: 'user', attributes: { role: 'member' } } }
  expect((await app.api.patch(`/workspaces/acme/users/${colleague.id}`, { body })).status).toBe(200)
  expect(await told()).toBeNull()
})

test('sent again with a narrower credential of the same person, a change is not answered', async () => {
  const key = freshKey()
  const [company] = await records.createMany('company', [{}])
  const body = { data: { type: 'person', attributes: { company_id: company.id } } }
  const send = async (...scopes: string[]) =>
    app.api.post(recordsPath('person'), { as: await narrowed(...scopes), body, ...under(key) })
  const wide = ['records:write', 'records:read']
  const first = await send(...wide)
  expect(first.status).toBe(201)
  const again = await send(...wide.toReversed())
  expect([again.headers['idempotency-replayed'], again.body]).toEqual(['true', first.body])
  expect((await send('records:write:person', 'records:read:person')).body.errors[0].code).toBe('idempotency_key_reused')
})

test('after 24 hours it is forgotten', async () => {
  const key = freshKey()
  await app.api.post(recordsPath('person'), { as: 'member', body: person, ...under(key) })
  await app.advance(24 * 3_600_000 - 60_000)
  expect((await get(key)).status).toBe(200)
  await app.advance(60_000)
  expect((await get(key)).status).toBe(404)
})

test('while it runs: not found before it has begun, then in progress, then there for good', async () => {
  const key = freshKey()
  const data = Array.from({ length: 2000 }, (_, index) => ({
    type: 'person',
    attributes: { job_title: `Job ${index}`, email_addresses: { items: [`running-${index}@example.com`] } },
  }))
  const state = { ended: false }
  const running = app.api
    .post(`${recordsPath('person')}/bulk`, { as: 'member', body: { data }, ...under(key) })
    .finally(() => (state.ended = true))
  const statuses: number[] = []
  const watching = until(async () => {
    statuses.push((await get(key, {}, node)).status)
    return state.ended
  })
  const [answer] = await Promise.all([running, watching])
  expect(answer.status).toBe(201)
  expect((await get(key, {}, node)).body.data.attributes).toMatchObject({
    endpoint: 'records.createMany',
    status: 201,
  })
  const order = [404, 409, 200]
  expect(statuses).toEqual(statuses.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)))
})

// On SQLite it waits for its turn, as the same request under the same key would.
test.runIf(isPostgres)('while it waits for another, it is in progress', async () => {
  const key = freshKey()
  const { id } = await records.create('person', {})
  expect((await get(key, {}, node)).status).toBe(404)
  const letGo = await holdRecord(app.databaseUrl, id)
  const running = app.api.patch(`${recordsPath('person')}/${id}`, { as: 'member', body: person, ...under(key) })
  const { status, body, headers } = await until(async () => {
    const answer = await get(key, {}, node)
    return answer.status !== 404 && answer
  })
  await letGo()
  expect([status, body.errors[0].code, headers['retry-after']]).toEqual([409, 'idempotency_in_progress', '1'])
  expect((await running).status).toBe(200)
  expect((await get(key, {}, node)).body.data.attributes).toMatchObject({ endpoint: 'records.update', status: 200 })
})
