import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'

const app = await startApp()
const { api, userIds } = app

const users = '/workspaces/acme/users'

test('who is removed is out at once, token and keys too; what they made stays with their name', async () => {
  const grace = await app.addMember('member', 'grace')
  const made = await api.post('/workspaces/acme/objects/company/records', {
    as: grace.as,
    body: { data: { type: 'company', attributes: { name: 'Univac', owner_id: grace.id } } },
  })
  const created = await api.post('/workspaces/acme/api-keys', {
    as: grace.as,
    body: { data: { type: 'api-key', attributes: { name: 'Hers' } } },
  })
  const key = { authorization: `api-key ${created.body.data.attributes.cleartext_api_key}` }
  expect((await api.get(users, { as: key })).status).toBe(200)
  await app.events()

  expect(await api.delete(`${users}/${grace.id}`)).toMatchObject({ status: 200, body: {} })
  expect((await api.get(users, { as: grace.as })).status).toBe(404)
  expect((await api.get(users, { as: key })).body.errors[0].code).toBe('key_invalid')
  expect((await api.get('/workspaces', { as: grace.as })).body.data).toEqual([])
  expect((await api.get(`${users}/${grace.id}`)).status).toBe(404)
  expect((await api.get(users)).body.data.map(({ id }: Json) => id)).not.toContain(grace.id)
  const kept = await api.get(`/workspaces/acme/objects/company/resources/${made.body.data.id}`, {
    query: { include: 'owner_id' },
  })
  expect([kept.status, kept.body.data.attributes.owner_id]).toEqual([200, grace.id])
  expect(kept.body.included.map(({ attributes }: Json) => [attributes.name, attributes.roles])).toEqual([
    ['grace', { items: [] }],
  ])
  const [event] = (await app.events()).filter(({ type }) => type === 'member.removed')
  expect(event).toMatchObject({ object: 'user', record_id: grace.id, payload: { role: 'member' } })
  expect((await api.delete(`${users}/${grace.id}`)).status).toBe(404)
})

test('who comes back has their record again, and none of their old keys and grants', async () => {
  const meeting = await recordsOf(app).create('meeting', { title: 'Budget' })
  const path = `/workspaces/acme/objects/meeting/records/${meeting.id}`
  const ada = await app.addMember('member', 'ada')
  await api.post(`${path}/access`, {
    body: {
      data: {
        type: 'object-record-access',
        attributes: { grantee_type: 'user', grantee_id: ada.id, access_level: 'view' },
      },
    },
  })
  expect((await api.get(path, { as: ada.as })).status).toBe(200)
  const created = await api.post('/workspaces/acme/api-keys', {
    as: ada.as,
    body: { data: { type: 'api-key', attributes: { name: 'Hers' } } },
  })
  await api.delete(`${users}/${ada.id}`)
  const again = await app.addMember('viewer', 'ada')
  expect(again.id).toBe(ada.id)
  expect((await api.get(`/workspaces/acme/objects/user/resources/${ada.id}`)).body.data.attributes.roles).toEqual({
    items: ['viewer'],
  })
  expect(
    (await api.get(users, { as: { authorization: `api-key ${created.body.data.attributes.cleartext_api_key}` } }))
      .status,
  ).toBe(401)
  expect((await api.get(users, { as: again.as })).status).toBe(200)
  expect((await api.get(path, { as: again.as })).status).toBe(404)
  expect((await api.get(`${path}/access`)).body.data).toEqual([])
  const all = await api.get('/workspaces/acme/objects/user/resources', { query: { 'page[limit]': 500 } })
  expect(all.body.meta.total_records).toBe(all.body.data.length)
})

test('the last admin cannot be removed; of two either can, oneself too', async () => {
  const refused = await api.delete(`${users}/${userIds.admin}`)
  expect([refused.status, refused.body.errors[0].code]).toEqual([409, 'last_admin'])
  const second = await app.addMember('admin', 'second')
  expect((await api.delete(`${users}/${second.id}`, { as: second.as })).status).toBe(200)
  expect((await api.get(users)).status).toBe(200)
})

test('another app learns of it when it asks again who is a member', async () => {
  const node = await startApp({ beside: app })
  const grace = await app.addMember('member', 'late')
  expect((await node.api.get(users, { as: grace.as })).status).toBe(200)
  await api.delete(`${users}/${grace.id}`)
  node.forgetMemberships()
  expect((await node.api.get(users, { as: grace.as })).status).toBe(404)
})
