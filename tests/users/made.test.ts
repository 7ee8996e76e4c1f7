import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { appAddress } from '../harness/oauth.ts'
import { createKey, type Caller } from '../harness/people.ts'
import { unknownId } from '../harness/records.ts'
import { visitorOf } from '../harness/visitor.ts'
import { webhooksOf } from '../harness/webhooks.ts'

const app = await startApp()
const { api } = app
const users = '/workspaces/acme/users'
const password = 'quiet rivers run deep'

/** An admin who has made one thing of each kind that goes on working. */
async function maker(name: string) {
  const { id, as } = await app.addMember('admin', name, password)
  const { id: keyId, key } = await createKey(api.post, as, { kind: 'workspace' })
  const webhook = await webhooksOf(app, as).create({ url: `http://127.0.0.1:9/${name}` })
  const browser = visitorOf(app)
  await browser.signIn(`${name}@example.com`, password)
  const path = '/auth/account/workspaces/acme/apps/new'
  await browser.go(path)
  const answer = await browser.submit(path, {
    name: `App of ${name}`,
    redirect_uris: appAddress,
    type: 'public',
    'scopes:records:read': 'on',
  })
  const appId = /<dt>Client id<\/dt><dd[^>]*><code>([^<]*)</.exec(String(answer.body))?.[1] ?? ''
  const keyAs: Caller = { authorization: `api-key ${key}` }
  return { id, keyId, keyAs, webhookId: webhook._id as string, appId, name }
}

const madeBy = async (id: string) => (await api.get(`${users}/${id}/made`)).body.data?.attributes
const nothing = {
  api_keys: [],
  apps: [],
  webhooks: [],
  workflows: [],
  agents: [],
  campaigns: [],
  inbound_addresses: [],
  schedules: [],
}

const allOf = ({ keyId, webhookId, appId, name }: Awaited<ReturnType<typeof maker>>) => ({
  ...nothing,
  api_keys: [{ id: keyId, name: 'Key' }],
  apps: [{ id: appId, name: `App of ${name}` }],
  webhooks: [{ id: webhookId, name: `http://127.0.0.1:9/${name}`, enabled: true }],
})

test('what an admin made is shown, goes on without them, and is shown still', async () => {
  const gone = await maker('gone')
  expect(await madeBy(gone.id)).toEqual(allOf(gone))
  await api.delete(`${users}/${gone.id}`)
  expect(await madeBy(gone.id)).toEqual(allOf(gone))
  expect((await api.get(users, { as: gone.keyAs })).status).toBe(200)
})

test.for([
  ['removed', (id: string) => api.delete(`${users}/${id}`, { query: { end_made: 'true' } })],
  ['demoted', (id: string) => api.patch(`${users}/${id}`, { query: { end_made: 'true' }, body: { role: 'member' } })],
] as const)('it ends with an admin who is %s, where that is asked for', async ([name, change]) => {
  const [own, other] = [await maker(name), await maker(`not-${name}`)]
  await app.events()
  expect((await change(own.id)).status).toBe(200)
  expect((await api.get(users, { as: own.keyAs })).body.errors[0].code).toBe('key_invalid')
  expect((await api.get(`/workspaces/acme/webhooks/${own.webhookId}`)).status).toBe(404)
  expect(await app.oauth.stored()).not.toContain(own.appId)
  const types = (await app.events()).map(({ type }) => type)
  expect(types).toEqual(expect.arrayContaining(['api_key.revoked', 'webhook.deleted']))
  expect(await madeBy(other.id)).toEqual(allOf(other))
  if (name === 'demoted') expect(await madeBy(own.id)).toEqual(nothing)
  else expect((await api.get(`${users}/${own.id}/made`)).status).toBe(404)
})

test('only an admin sees it; a credential with scopes ends nothing that may do more than itself', async () => {
  const own = await maker('kept')
  for (const as of ['member', 'viewer', 'workspaceKey'] as const)
    expect((await api.get(`${users}/${own.id}/made`, { as })).status).toBe(403)
  expect((await api.get(`${users}/${unknownId}/made`)).status).toBe(404)
  expect((await api.get(`${users}/nobody/made`)).status).toBe(404)
  const { key } = await createKey(api.post, 'admin', { scopes: ['members:read', 'members:write'] })
  const as = { authorization: `api-key ${key}` }
  expect((await api.get(`${users}/${own.id}/made`, { as })).status).toBe(200)
  const { status, body } = await api.delete(`${users}/${own.id}`, { as, query: { end_made: 'true' } })
  expect([status, body.errors[0].code, body.errors[0].source]).toEqual([403, 'forbidden', { parameter: 'end_made' }])
  expect(await madeBy(own.id)).toEqual(allOf(own))
  expect((await api.get(`${users}/${own.id}`)).status).toBe(200)
})
