import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { createKey, type Caller, type Person } from '../harness/people.ts'
import { pointersOf, unknownId } from '../harness/records.ts'

const app = await startApp()
const { api } = app
const K = '/workspaces/acme/api-keys'

const create = (attributes: Json, as: Caller = 'member') =>
  api.post(K, { as, body: { data: { type: 'api-key', attributes } } })
const works = async (key: string) =>
  (await api.get('/workspaces/acme/users', { as: { authorization: `api-key ${key}` } })).status
const rotate = (id: string, body: Json = {}) => api.post(`${K}/${id}/rotate`, { as: 'member', body })
const hour = 3_600_000
const inAnHour = () => new Date(app.now() + hour).toISOString()

describe('create', () => {
  test('a personal key: its secret stands in this answer alone', async () => {
    const expires = inAnHour()
    const { status, body } = await create({
      name: ' Import ',
      scopes: ['records:read:person', 'members:read'],
      expires_at: expires,
    })
    expect(status).toBe(201)
    const { id, attributes } = body.data
    const { cleartext_api_key: key, ...rest } = attributes
    expect(key).toMatch(/^kp_[\w-]{43}[0-9a-z]{7}$/)
    expect(rest).toEqual({
      _id: id,
      name: 'Import',
      key_prefix: key.slice(0, rest.key_prefix.length),
      scopes: ['records:read:person', 'members:read'],
      actor: { type: 'user', id: app.userIds.member },
      on_behalf_of: null,
      hidden: false,
      _created_by: app.userIds.member,
      expires_at: expires,
      _created_at: expect.any(String),
      _updated_at: rest._created_at,
      last_used_at: null,
    })
    expect((await api.get(`${K}/${id}`, { as: 'member' })).body).toEqual({
      data: { type: 'api-key', id, attributes: rest },
    })
    expect(JSON.stringify((await api.get(K, { as: 'member' })).body)).not.toContain(key)
    expect(await works(key)).toBe(200)
  })

  test('a workspace key, by an admin alone', async () => {
    const { status, body } = await create({ name: 'Sync', actor_type: 'workspace' }, 'admin')
    expect([status, body.data.attributes.actor.type, body.data.attributes.cleartext_api_key.slice(0, 3)]).toEqual([
      201,
      'workspace',
      'kw_',
    ])
    const refused = await create({ name: 'Sync', actor_type: 'workspace' })
    expect([refused.status, refused.body.errors[0].code]).toEqual([403, 'forbidden'])
  })

  const wrong: [string, Json, string][] = [
    ['an unknown scope', { name: 'x', scopes: ['records:read', 'records:fly'] }, '/data/attributes/scopes/1'],
    ['a scope narrowed that cannot be', { name: 'x', scopes: ['lists:read:person'] }, '/data/attributes/scopes/0'],
    ['another actor', { name: 'x', actor_type: 'robot' }, '/data/attributes/actor_type'],
    ['an end that has been', { name: 'x', expires_at: '2020-01-01T00:00:00Z' }, '/data/attributes/expires_at'],
    ['an end that is no time', { name: 'x', expires_at: 'soon' }, '/data/attributes/expires_at'],
    ['no name', { name: '  ' }, '/data/attributes/name'],
    ['a secret of its own', { name: 'x', cleartext_api_key: 'pk_1' }, '/data/attributes/cleartext_api_key'],
  ]
  test.for(wrong)('%s: 422', async ([, attributes, pointer]) => {
    const before = (await api.get(K, { as: 'member' })).body.meta.total_records
    const answer = await create(attributes)
    expect([answer.status, pointersOf(answer)]).toEqual([422, [pointer]])
    expect((await api.get(K, { as: 'member' })).body.meta.total_records).toBe(before)
  })
})

test('a personal key acts as its creator, a workspace key for no person', async () => {
  const whoami = async (key: string) => {
    const { body } = await api.post('/workspaces/acme/objects/person/records', {
      as: { authorization: `api-key ${key}` },
      body: { data: { type: 'person', attributes: {} } },
    })
    return body.data.attributes._created_by
  }
  expect(await whoami((await createKey(api.post, 'member')).key)).toBe(app.userIds.member)
  const workspaceKey = await createKey(api.post, 'admin', { kind: 'workspace' })
  expect(await whoami(workspaceKey.key)).toBe(workspaceKey.id)
})

describe('whose keys one sees', () => {
  test('members their own; admins those of the workspace too; no caller those of others', async () => {
    const own = await createKey(api.post, 'member')
    const admins = await createKey(api.post, 'admin')
    const shared = await createKey(api.post, 'admin', { kind: 'workspace' })
    const listed = async (as: Person) =>
      (await api.get(K, { as, query: { 'page[limit]': 1000 } })).body.data.map(({ id }: Json) => id)
    const member = await listed('member')
    const admin = await listed('admin')
    expect([own, admins, shared].map(({ id }) => [member.includes(id), admin.includes(id)])).toEqual([
      [true, false],
      [false, true],
      [false, true],
    ])
    for (const [as, { id }] of [
      ['member', admins],
      ['member', shared],
      ['admin', own],
    ] as const) {
      expect((await api.get(`${K}/${id}`, { as })).status).toBe(404)
      expect(
        (await api.patch(`${K}/${id}`, { as, body: { data: { type: 'api-key', attributes: { name: 'Mine' } } } }))
          .status,
      ).toBe(404)
      expect((await api.delete(`${K}/${id}`, { as })).status).toBe(404)
      expect((await api.post(`${K}/${id}/rotate`, { as, body: {} })).status).toBe(404)
    }
    expect(await works(own.key)).toBe(200)
  })
})

describe('rename', () => {
  test('changes the name and when it was changed', async () => {
    const { id, key } = await createKey(api.post, 'member')
    const before = (await api.get(`${K}/${id}`, { as: 'member' })).body.data
    await app.advance(1000)
    const { status, body } = await api.patch(`${K}/${id}`, {
      as: 'member',
      body: { data: { type: 'api-key', id, attributes: { name: 'New' } } },
    })
    expect([
      status,
      body.data.attributes.name,
      body.data.attributes._updated_at > before.attributes._updated_at,
    ]).toEqual([200, 'New', true])
    expect({ ...body.data.attributes, name: '', _updated_at: '' }).toEqual({
      ...before.attributes,
      name: '',
      _updated_at: '',
    })
    expect(await works(key)).toBe(200)
    const other = await api.patch(`${K}/${id}`, {
      as: 'member',
      body: { data: { type: 'api-key', id: unknownId, attributes: { name: 'x' } } },
    })
    expect(pointersOf(other)).toEqual(['/data/id'])
  })
})

describe('revoke', () => {
  test('counts at once', async () => {
    const { id, key } = await createKey(api.post, 'member')
    expect(await works(key)).toBe(200)
    const { status, body } = await api.delete(`${K}/${id}`, { as: 'member' })
    expect([status, body]).toEqual([200, {}])
    expect(await works(key)).toBe(401)
    expect((await api.delete(`${K}/${id}`, { as: 'member' })).status).toBe(404)
  })
})

describe('expiry', () => {
  test('a key ends when it says', async () => {
    const { key } = await createKey(api.post, 'member', { expiresAt: inAnHour() })
    expect(await works(key)).toBe(200)
    await app.advance(hour)
    expect(
      (await api.get('/workspaces/acme/users', { as: { authorization: `api-key ${key}` } })).body.errors[0].code,
    ).toBe('key_expired')
  })
})

describe('rotate', () => {
  test('gives a new secret; the old one ends at once', async () => {
    const { id, key } = await createKey(api.post, 'member', { scopes: ['members:read'] })
    const { status, body } = await rotate(id)
    const fresh = body.data.attributes.cleartext_api_key
    expect([status, body.data.id, body.data.attributes.scopes]).toEqual([200, id, ['members:read']])
    expect(fresh).not.toBe(key)
    expect([await works(fresh), await works(key)]).toEqual([200, 401])
  })

  test('the old one stays valid as long as the overlap, and not longer', async () => {
    const { id, key } = await createKey(api.post, 'member')
    const fresh = (await rotate(id, { overlap_hours: 72 })).body.data.attributes.cleartext_api_key
    expect([await works(fresh), await works(key)]).toEqual([200, 200])
    await app.advance(71.9 * hour)
    expect([await works(fresh), await works(key)]).toEqual([200, 200])
    await app.advance(0.1 * hour)
    expect([await works(fresh), await works(key)]).toEqual([200, 401])
  })

  test('each rotation keeps earlier secrets valid as promised, or ends all of them', async () => {
    const { id, key } = await createKey(api.post, 'member')
    const next = async (overlap_hours: number) =>
      (await rotate(id, { overlap_hours })).body.data.attributes.cleartext_api_key
    const second = await next(24)
    const third = await next(1)
    expect(await Promise.all([key, second, third].map(works))).toEqual([200, 200, 200])
    await app.advance(hour)
    expect(await Promise.all([key, second, third].map(works))).toEqual([200, 401, 200])
    const fourth = await next(72)
    await app.advance(23 * hour)
    expect(await Promise.all([key, third, fourth].map(works))).toEqual([401, 200, 200])
    const last = await next(0)
    expect(await Promise.all([third, fourth, last].map(works))).toEqual([401, 401, 200])
  })

  test('refuses an eleventh secret that would stay valid', async () => {
    const { id, key } = await createKey(api.post, 'member')
    for (let rotations = 0; rotations < 10; rotations++)
      expect((await rotate(id, { overlap_hours: 1 })).status).toBe(200)
    const refused = await rotate(id, { overlap_hours: 1 })
    expect([refused.status, pointersOf(refused)]).toEqual([422, ['/overlap_hours']])
    expect(await works(key)).toBe(200)
    expect((await api.delete(`${K}/${id}`, { as: 'member' })).status).toBe(200)
    expect(await works(key)).toBe(401)
  })

  test.for([-1, 72.5, '24', null])('an overlap of %j: 422', async (overlap_hours) => {
    const { id, key } = await createKey(api.post, 'member')
    const answer = await rotate(id, { overlap_hours })
    expect([answer.status, pointersOf(answer)]).toEqual([422, ['/overlap_hours']])
    expect(await works(key)).toBe(200)
  })
})

test('last use is written, at most once a minute', async () => {
  const { id, key } = await createKey(api.post, 'member')
  const lastUsed = async () => (await api.get(`${K}/${id}`, { as: 'member' })).body.data.attributes.last_used_at
  await works(key)
  await expect.poll(lastUsed).not.toBeNull()
  const first = await lastUsed()
  await app.advance(30_000)
  await works(key)
  await app.advance(31_000)
  expect(await lastUsed()).toBe(first)
  await works(key)
  await expect.poll(lastUsed).not.toBe(first)
})
