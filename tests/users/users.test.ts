import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { unknownId } from '../harness/records.ts'

const { api, userIds } = await startApp()

test('lists the members of the workspace, in the order in which they came', async () => {
  const { body } = await api.get('/workspaces/acme/users', { as: 'viewer' })
  expect(
    body.data.map(({ id, attributes }: Json) => [id, attributes.name, attributes.email, attributes.roles]),
  ).toEqual([
    [
      userIds.admin,
      { first_name: 'Ada', last_name: 'Admin', full_name: 'Ada Admin' },
      'admin@example.com',
      { items: ['admin'] },
    ],
    [
      userIds.member,
      { first_name: 'Max', last_name: 'Member', full_name: 'Max Member' },
      'member@example.com',
      { items: ['member'] },
    ],
    [
      userIds.viewer,
      { first_name: null, last_name: null, full_name: null },
      'viewer@example.com',
      { items: ['viewer'] },
    ],
  ])
  expect([body.meta, body.links]).toEqual([
    { total_records: 3, total_pages: 1, offset: 0, limit: 50 },
    { next: null, prev: null },
  ])
})

test('pages', async () => {
  const { body } = await api.get('/workspaces/acme/users', { query: { 'page[offset]': 1, 'page[limit]': 1 } })
  expect(body.data.map(({ id }: Json) => id)).toEqual([userIds.member])
  expect(body.meta).toEqual({ total_records: 3, total_pages: 3, offset: 1, limit: 1 })
  expect((await api.get(body.links.next)).body.data[0].id).toBe(userIds.viewer)
  expect((await api.get(body.links.prev)).body.data[0].id).toBe(userIds.admin)
})

const order = (column: string, dir: string) => ({ 'sortOrder[column]': column, 'sortOrder[dir]': dir })

test('sorts by what is asked for, empty values last either way, along links too', async () => {
  const { admin, member, viewer } = userIds
  const ids = async (column: string, dir: string) =>
    (await api.get('/workspaces/acme/users', { query: order(column, dir) })).body.data.map(({ id }: Json) => id)
  expect(await ids('name', 'ASC')).toEqual([admin, member, viewer])
  expect(await ids('name', 'DESC')).toEqual([member, admin, viewer])
  expect(await ids('email', 'DESC')).toEqual([viewer, member, admin])
  expect(await ids('roles', 'ASC')).toEqual([admin, member, viewer])
  expect(await ids('_created_at', 'DESC')).toEqual((await ids('_created_at', 'ASC')).toReversed())
  const { body } = await api.get('/workspaces/acme/users', { query: { ...order('email', 'DESC'), 'page[limit]': 2 } })
  expect((await api.get(body.links.next)).body.data.map(({ id }: Json) => id)).toEqual([admin])
  const refused = await api.get('/workspaces/acme/users', { query: order('password', 'ASC') })
  expect([refused.status, refused.body.errors[0].code, refused.body.errors[0].meta.allowed]).toEqual([
    400,
    'unknown_field',
    ['name', 'email', 'roles', 'last_active_at', '_created_at'],
  ])
})

test('gets one member', async () => {
  const { status, body } = await api.get(`/workspaces/acme/users/${userIds.viewer}`, { as: 'workspaceKey' })
  expect([status, body.data.id, body.data.attributes]).toEqual([
    200,
    userIds.viewer,
    {
      _id: userIds.viewer,
      name: { first_name: null, last_name: null, full_name: null },
      email: 'viewer@example.com',
      email_verified: true,
      second_factor: null,
      roles: { items: ['viewer'] },
      last_active_at: body.data.attributes.last_active_at,
      _created_at: expect.any(String),
    },
  ])
})

test.for([userIds.stranger, unknownId, 'me'])('no member of this workspace: %s', async (id) => {
  expect((await api.get(`/workspaces/acme/users/${id}`)).status).toBe(404)
})
