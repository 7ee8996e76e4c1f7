import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { logOf } from '../harness/events.ts'
import type { Json } from '../harness/http.ts'
import { createKey } from '../harness/people.ts'

const app = await startApp()
const { api } = app
const log = logOf(app)
const path = '/workspaces/acme/apps'
const redirect_uris = ['https://app.example.com/callback']

const register = async (attributes: Json) => api.post(path, { body: { redirect_uris, ...attributes } })

test('shows the secret of a confidential app once, and registers a public one without', async () => {
  const { status, body } = await register({ name: ' Mail Merge ', scopes: ['records:read', 'records:read', 'openid'] })
  expect(status).toBe(201)
  const { client_secret: secret, ...shown } = body.data.attributes
  expect(secret).toMatch(/^kcs_/)
  expect(shown).toMatchObject({ name: 'Mail Merge', type: 'confidential', redirect_uris, scopes: ['records:read'] })
  expect(shown).toMatchObject({ people: 0, _created_by: app.userIds.admin })
  const { data } = (await api.get(`${path}/${body.data.id}`)).body
  expect(data.attributes).toEqual(shown)
  const open = await register({ name: 'Phone', type: 'public', redirect_uris: ['com.example.app:/cb'] })
  expect(open.body.data.attributes).toMatchObject({ client_secret: null, secret_id: null, scopes: null })
  expect((await api.post(`${path}/${open.body.data.id}/rotate`, { body: {} })).status).toBe(422)
})

test('refuses a redirect URI that leads nowhere, a scope that is none, and a name that is in use', async () => {
  const wrong = await register({
    name: 'Wrong',
    redirect_uris: ['https://a.example', 'http://b.example'],
    scopes: ['x'],
  })
  expect(wrong.status).toBe(422)
  expect(wrong.body.errors.map(({ source }: Json) => source.pointer).toSorted()).toEqual([
    '/redirect_uris/1',
    '/scopes/0',
  ])
  for (const name of ['a\u0007b', 'sys\u202egnp'])
    expect((await register({ name })).body.errors[0].source.pointer).toBe('/name')
  expect((await register({ name: 'Once' })).status).toBe(201)
  const again = await register({ name: 'Once' })
  expect([again.status, again.body.errors[0].detail]).toEqual([409, 'The workspace already has an app named "Once".'])
})

test('an update fits the type of the app, and a rotation replaces only the secret that was read', async () => {
  const { id, attributes } = (await register({ name: 'Turns' })).body.data
  const own = { redirect_uris: ['com.example.app:/cb'] }
  expect((await api.patch(`${path}/${id}`, { body: own })).body.errors[0].source.pointer).toBe('/redirect_uris/0')
  const moved = await api.patch(`${path}/${id}`, { body: { redirect_uris: ['http://localhost:3000/cb'], scopes: [] } })
  expect(moved.body.data.attributes).toMatchObject({ redirect_uris: ['http://localhost:3000/cb'], scopes: [] })
  const rotate = () => api.post(`${path}/${id}/rotate`, { body: { secret_id: attributes.secret_id } })
  const first = await rotate()
  expect(first.body.data.attributes.client_secret).not.toBe(attributes.client_secret)
  const second = await rotate()
  expect([second.status, second.body.errors[0].source.pointer]).toEqual([422, '/secret_id'])
})

test('only admins see apps and what happens to them, and no key changes one', async () => {
  const before = await log.end()
  const { id } = (await register({ name: 'Quiet' })).body.data
  const { key } = await createKey(api.post, 'admin')
  const as = { authorization: `api-key ${key}` }
  expect((await api.get(path, { as: 'member' })).status).toBe(403)
  expect((await api.patch(`${path}/${id}`, { as, body: { redirect_uris } })).status).toBe(401)
  expect((await api.delete(`${path}/${id}`, { as })).status).toBe(200)
  const types = async (caller: 'admin' | 'member') => (await log.since(before, caller)).map(({ type }: Json) => type)
  expect(await types('admin')).toEqual(expect.arrayContaining(['app.created', 'app.deleted']))
  expect((await types('member')).filter((type) => type.startsWith('app.'))).toEqual([])
})
