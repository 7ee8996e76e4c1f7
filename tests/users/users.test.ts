import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { unknownId } from '../harness/records.ts'

const { api, userIds } = await startApp()

test('lists the members of the workspace, in the order in which they came', async () => {
  const { body } = await api.get('/workspaces/acme/users', { as: 'viewer' })
  expect(body.data.map(({ id, attributes }: Json) => [id, attributes.name, attributes.email, attributes.roles])).toEqual([
    [userIds.admin, 'Ada Admin', 'admin@example.com', { items: ['admin'] }],
    [userIds.member, 'Max Member', 'member@example.com', { items: ['member'] }],
    [userIds.viewer, null, 'viewer@example.com', { items: ['viewer'] }],
  ])
  expect([body.meta, body.links]).toEqual([{ total_records: 3, total_pages: 1, offset: 0, limit: 50 }, { next: null, prev: null }])
})

test('pages', async () => {
  const { body } = await api.get('/workspaces/acme/users', { query: { 'page[offset]': 1, 'page[limit]': 1 } })
  expect(body.data.map(({ id }: Json) => id)).toEqual([userIds.member])
  expect(body.meta).toEqual({ total_records: 3, total_pages: 3, offset: 1, limit: 1 })
  expect((await api.get(body.links.next)).body.data[0].id).toBe(userIds.viewer)
  expect((await api.get(body.links.prev)).body.data[0].id).toBe(userIds.admin)
})

test('gets one member', async () => {
  const { status, body } = await api.get(`/workspaces/acme/users/${userIds.viewer}`, { as: 'workspaceKey' })
  expect([status, body.data.id, body.data.attributes]).toEqual([
    200,
    userIds.viewer,
    { _id: userIds.viewer, name: null, email: 'viewer@example.com', roles: { items: ['viewer'] }, last_active_at: body.data.attributes.last_active_at, _created_at: expect.any(String) },
  ])
})

test.for([userIds.stranger, unknownId, 'me'])('nobody of this workspace: %s', async (id) => {
  expect((await api.get(`/workspaces/acme/users/${id}`)).status).toBe(404)
})
