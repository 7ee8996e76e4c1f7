import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { logOf } from '../harness/events.ts'
import type { Json } from '../harness/http.ts'

const app = await startApp()
const { admin } = app.oauth
const log = logOf(app)
const email = 'grace@example.com'

const brief = ({ type, record_id, actor, data }: Json) => [type, record_id, actor._id, data]
const read = async () => (await app.api.get('/workspaces/third/events')).body.data

test('what the operator does is told once, as done by the person whom it concerns', async () => {
  const before = await log.end()
  const { id } = await admin.addUser({ workspace: 'acme', email, role: 'member' })
  const key = await admin.createKey({ workspace: 'acme', email, kind: 'personal', scopes: [], name: 'Theirs' })
  const byAdmin = {
    workspace: 'acme',
    email: 'admin@example.com',
    kind: 'workspace',
    scopes: [],
    name: 'Ours',
  } as const
  const shared = await admin.createKey(byAdmin)
  for (const { data } of [key, shared]) await admin.revokeKey({ workspace: 'acme', id: data.id })
  const told = await log.since(before)
  await admin.removeUser({ workspace: 'acme', email })
  const ours = { name: 'Ours', actor_type: 'workspace', user_id: null }
  expect(told.map(brief)).toEqual([
    ['member.joined', id, id, { role: 'member', invitation_id: null }],
    ['api_key.created', shared.data.id, app.userIds.admin, { ...ours, scopes: [] }],
    ['api_key.revoked', shared.data.id, app.userIds.admin, ours],
  ])
  expect((await log.since(told.at(-1).sequence)).map(brief)).toEqual([
    ['member.removed', id, app.userIds.admin, { role: 'member' }],
  ])
})

test('the operator removes an app of a workspace, and rotates its secret, as the admin who registered it', async () => {
  const { status, body } = await app.api.post('/workspaces/acme/apps', {
    as: 'admin',
    body: { name: 'Mail Merge', redirect_uris: ['https://app.example.com/callback'] },
  })
  expect(status).toBe(201)
  const before = await log.end()
  const { client_secret } = await admin.rotateOAuthClientSecret(body.data.id)
  expect(client_secret).toMatch(/^kcs_/)
  expect(client_secret).not.toBe(body.data.attributes.client_secret)
  await admin.removeOAuthClient(body.data.id)
  expect((await log.since(before)).map(brief)).toEqual([
    ['app.secret_rotated', body.data.id, app.userIds.admin, { name: 'Mail Merge' }],
    ['app.deleted', body.data.id, app.userIds.admin, { name: 'Mail Merge' }],
  ])
  await expect(admin.removeOAuthClient(body.data.id)).rejects.toThrow('There is no app')
})

test('a new workspace tells who its first admin is', async () => {
  const { user } = await admin.createWorkspace({ slug: 'third', name: 'Third', adminEmail: 'admin@example.com' })
  await expect.poll(async () => (await read()).length).toBe(1)
  const [{ attributes }] = await read()
  expect(attributes).toMatchObject({
    sequence: 1,
    type: 'member.joined',
    record_id: user.id,
    data: { role: 'admin', invitation_id: null },
  })
})
