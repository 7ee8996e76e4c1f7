import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { createKey } from '../harness/people.ts'

const app = await startApp()
const { api, userIds } = app

const users = '/workspaces/acme/users'
const patch = (id: string, role: string) => api.patch(`${users}/${id}`, { body: { role } })
const record = async (id: string) => (await api.get(`/workspaces/acme/objects/user/resources/${id}`)).body.data

test('a change of role counts at once, in the list of members, in their record, and for their keys', async () => {
  const grace = await app.addMember('viewer', 'grace')
  const before = await record(grace.id)
  expect(
    (
      await api.post('/workspaces/acme/objects/company/records', {
        as: grace.as,
        body: { data: { type: 'company', attributes: {} } },
      })
    ).status,
  ).toBe(403)
  await app.events()

  const { status, body } = await api.patch(`${users}/${grace.id}`, {
    body: { data: { type: 'user', id: grace.id, attributes: { role: 'member' } } },
  })
  expect([status, body.data.attributes.roles]).toEqual([200, { items: ['member'] }])
  expect(
    (
      await api.post('/workspaces/acme/objects/company/records', {
        as: grace.as,
        body: { data: { type: 'company', attributes: {} } },
      })
    ).status,
  ).toBe(201)
  expect((await api.get(`${users}/${grace.id}`)).body.data.attributes.roles).toEqual({ items: ['member'] })
  const after = await record(grace.id)
  expect(after.attributes).toMatchObject({ name: 'grace', email: 'grace@example.com', roles: { items: ['member'] } })
  expect(after.attributes._updated_at > before.attributes._updated_at).toBe(true)
  const found = await api.get('/workspaces/acme/objects/user/resources', { query: { 'filter[roles]': 'member' } })
  expect(found.body.data.map(({ id }: Json) => id)).toContain(grace.id)
  const [event] = (await app.events()).filter(({ type }) => type === 'member.updated')
  expect(event).toMatchObject({
    object: 'user',
    record_id: grace.id,
    payload: { role: 'member', previous_role: 'viewer' },
  })
})

test('the role that a member has already changes nothing', async () => {
  const before = await record(userIds.viewer)
  await app.events()
  expect((await patch(userIds.viewer, 'viewer')).status).toBe(200)
  expect([await record(userIds.viewer), await app.events()]).toEqual([before, []])
})

test('the last admin stays one', async () => {
  const refused = await patch(userIds.admin, 'member')
  expect([refused.status, refused.body.errors[0].code]).toEqual([409, 'last_admin'])
  const second = await app.addMember('admin', 'second-admin')
  expect((await patch(userIds.admin, 'member')).status).toBe(200)
  expect((await api.patch(`${users}/${userIds.admin}`, { as: second.as, body: { role: 'admin' } })).status).toBe(200)
  expect((await patch(second.id, 'viewer')).status).toBe(200)
})

test('two admins who demote each other at once leave one', async () => {
  for (let round = 0; round < 5; round++) {
    const [one, other] = [await app.addMember('admin', `one-${round}`), await app.addMember('admin', `other-${round}`)]
    // Theirs alone: with the first admin gone there are two.
    expect((await api.patch(`${users}/${userIds.admin}`, { as: one.as, body: { role: 'member' } })).status).toBe(200)
    const answers = await Promise.all([
      api.patch(`${users}/${other.id}`, { as: one.as, body: { role: 'member' } }),
      api.patch(`${users}/${one.id}`, { as: other.as, body: { role: 'member' } }),
    ])
    expect(answers.map(({ status }) => status)).toContain(200)
    const { body } = await api.get(users, { as: 'viewer', query: { 'page[limit]': 500 } })
    const admins = body.data.filter(({ attributes }: Json) => attributes.roles.items[0] === 'admin')
    expect(admins).toHaveLength(1)
    const left = admins[0].id === one.id ? one : other
    expect((await api.patch(`${users}/${userIds.admin}`, { as: left.as, body: { role: 'admin' } })).status).toBe(200)
    expect((await patch(left.id, 'member')).status).toBe(200)
  }
})

test.for([
  [{ role: 'owner' }, '/role'],
  [{ data: { type: 'user', id: 'another', attributes: { role: 'member' } } }, '/data/id'],
  [{ role: 'member', name: 'Grace' }, '/name'],
])('422 for %j', async ([body, pointer]) => {
  const answer = await api.patch(`${users}/${userIds.viewer}`, { body })
  expect([answer.status, answer.body.errors[0].source]).toEqual([422, { pointer }])
})

test.for([() => userIds.stranger, () => 'me'])('404 for no member of this workspace', async (id) => {
  expect((await patch(id(), 'member')).status).toBe(404)
})

test('a viewer makes, renames, rotates and revokes personal keys, and no workspace key', async () => {
  const { id } = await createKey(api.post, 'viewer')
  const key = `/workspaces/acme/api-keys/${id}`
  const rename = { data: { type: 'api-key', attributes: { name: 'Renamed' } } }
  expect((await api.patch(key, { as: 'viewer', body: rename })).status).toBe(200)
  const rotated = await api.post(`${key}/rotate`, { as: 'viewer' })
  expect(rotated.status).toBe(200)
  const as = { authorization: `api-key ${rotated.body.data.attributes.cleartext_api_key}` }
  expect((await api.get('/workspaces/acme/users', { as })).status).toBe(200)
  expect(
    (
      await api.post('/workspaces/acme/objects/company/records', {
        as,
        body: { data: { type: 'company', attributes: {} } },
      })
    ).status,
  ).toBe(403)
  const shared = await api.post('/workspaces/acme/api-keys', {
    as: 'viewer',
    body: { data: { type: 'api-key', attributes: { name: 'Shared', actor_type: 'workspace' } } },
  })
  expect(shared.status).toBe(403)
  expect((await api.delete(key, { as: 'viewer' })).status).toBe(200)
})
