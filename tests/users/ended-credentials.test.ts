import { expect, test } from 'vitest'
import { contract } from '@kontor/contract'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { connect } from '../harness/oauth.ts'
import { createKey, type Caller, type NewKey } from '../harness/people.ts'
import { until } from '../harness/until.ts'
import { webhooksOf } from '../harness/webhooks.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const { api } = app
const acme = '/workspaces/acme'
const scopes = ['workflows:read', 'workflows:write', 'agents:write', 'webhooks:write', 'records:read'] as const

const keyOf = async (as: Caller, options: NewKey = {}): Promise<{ readonly id: string; readonly as: Caller }> => {
  const { id, key } = await createKey(api.post, as, options)
  return { id, as: { authorization: `api-key ${key}` } }
}

const hourly = { cron: '0 * * * *' }

/** Makes one thing of each kind that goes on working with a credential; answers their paths by kind. */
async function makeAll(as: Caller): Promise<Record<string, string>> {
  const { create } = workflowsOf(app)
  const workflow = async (attributes: Json): Promise<string> =>
    `${acme}/workflows/${(await create({ name: 'Made', enabled: true, ...attributes }, as)).id}`
  const webhook = await webhooksOf(app, as).create({ url: 'http://127.0.0.1:9/made' })
  const code = 'export async function handler() { return {} }'
  const agent = await api.post(`${acme}/agents`, { as, body: { name: 'Made', enabled: true, code } })
  expect([agent.status, agent.body.errors]).toEqual([201, undefined])
  const wait = { key: 'wait', plugin_id: 'general:delay:for', input: { amount: 1, unit: 'days' } }
  return {
    webhooks: `${acme}/webhooks/${webhook['_id']}`,
    workflows: await workflow({ trigger: { plugin_id: 'on:svc:create:record', input: { object: 'company' } } }),
    agents: `${acme}/agents/${agent.body.data.id}`,
    campaigns: await workflow({ type: 'sequence', ...chain({ plugin_id: 'on:manual:execution' }, wait) }),
    inbound_addresses: await workflow({ trigger: { plugin_id: 'on:svc:automation-webhook' } }),
    schedules: await workflow({ trigger: { plugin_id: 'on:general:time:heartbeat', input: hourly } }),
  }
}

const stateOf = async (path: string): Promise<Json> => {
  const { enabled, disabled_reason, stopped_reason } = (await api.get(path)).body.data.attributes
  return { enabled, reason: disabled_reason ?? stopped_reason ?? null }
}

/** Waits until all of some things have stopped for a reason. */
async function allStopped(paths: Readonly<Record<string, string>>, reason: string): Promise<void> {
  await app.startJobs()
  for (const path of Object.values(paths)) await until(async () => !(await stateOf(path)).enabled, { what: () => path })
  for (const [kind, path] of Object.entries(paths))
    expect([kind, await stateOf(path)]).toEqual([kind, { enabled: false, reason }])
}

test('what a member made with a key is listed, and stops when the key is revoked', async () => {
  const maker = await app.addMember('admin', 'maker')
  const key = await keyOf(maker.as)
  const paths = await makeAll(key.as)
  const { attributes } = (await api.get(`${acme}/users/${maker.id}/made`)).body.data
  const kinds = Object.keys(contract.users.made.response.shape.data.shape.attributes.shape)
  expect(kinds.toSorted()).toEqual(['api_keys', 'apps', ...Object.keys(paths)].toSorted())
  for (const [kind, path] of Object.entries(paths))
    expect(attributes[kind]).toContainEqual(expect.objectContaining({ id: path.split('/').at(-1), enabled: true }))
  await app.startJobs()
  const before = (await api.get(`${acme}/notifications`)).body.data.length

  const kept = await makeAll(maker.as)
  expect((await api.delete(`${acme}/api-keys/${key.id}`, { as: maker.as })).status).toBe(200)
  await allStopped(paths, 'credential_ended')
  for (const path of Object.values(kept)) expect(await stateOf(path)).toEqual({ enabled: true, reason: null })
  // Another admin than the one whose things they were.
  const told = await until(async () => {
    const { data } = (await api.get(`${acme}/notifications`)).body
    return data.length === before + Object.keys(paths).length && data
  })
  expect(new Set(told.map((one: Json) => one['attributes'].kind))).toEqual(
    new Set(['webhook_failure', 'workflow_failure']),
  )
})

test.each([
  ['a workspace key is revoked', (id: string) => api.delete(`${acme}/api-keys/${id}`)],
  ['a key expires', () => app.advance(3_600_001)],
] as const)('everything stops when %s', async (title, end) => {
  const isExpiry = title.includes('expires')
  const expiresAt = new Date(app.now() + 3_600_000).toISOString()
  const key = await keyOf('admin', isExpiry ? { expiresAt } : { kind: 'workspace' })
  const paths = await makeAll(key.as)
  await end(key.id)
  await allStopped(paths, 'credential_ended')
})

test('a key that is rotated is the same key: what was made with it goes on', async () => {
  const key = await keyOf('admin')
  const paths = await makeAll(key.as)
  await api.post(`${acme}/api-keys/${key.id}/rotate`, { body: { overlap_hours: 0 } })
  const other = await keyOf('admin')
  const others = await makeAll(other.as)
  await api.delete(`${acme}/api-keys/${other.id}`)
  await allStopped(others, 'credential_ended')
  for (const path of Object.values(paths)) expect(await stateOf(path)).toEqual({ enabled: true, reason: null })
})

test.each(['disconnected by its person', 'removed from the server'])(
  'everything stops with an app that is %s',
  async (how) => {
    const third = await app.oauth.register({ name: how })
    const visitor = await app.oauth.visitor('admin')
    const tokens = await connect(third, visitor, scopes.join(' '))
    const paths = await makeAll({ authorization: `Bearer ${tokens.access_token}` })
    if (how.startsWith('removed')) await app.oauth.admin.removeOAuthClient(third.clientId)
    else await app.oauth.revokeApp('admin', third.clientId)
    await allStopped(paths, 'credential_ended')
  },
)

test('everything stops with the member, whatever it was made with; `end_made` disables it', async () => {
  const gone = await app.addMember('admin', 'gone')
  const paths = await makeAll(gone.as)
  const ofKey = await makeAll((await keyOf(gone.as)).as)
  const demoted = await app.addMember('admin', 'demoted')
  const ofDemoted = await makeAll(demoted.as)
  await api.delete(`${acme}/users/${gone.id}`)
  await allStopped({ ...paths, ...ofKey }, 'owner_left')
  await api.patch(`${acme}/users/${demoted.id}`, { query: { end_made: 'true' }, body: { role: 'member' } })
  expect((await api.get(ofDemoted['webhooks'] ?? '')).status).toBe(404)
  for (const [kind, path] of Object.entries(ofDemoted))
    if (kind !== 'webhooks') expect(await stateOf(path)).toEqual({ enabled: false, reason: null })
})

test('what an admin made stops when they are demoted; enabled again, it acts in the new role', async () => {
  const demoted = await app.addMember('admin', 'lowered')
  const paths = { ...(await makeAll(demoted.as)) }
  const other = await makeAll('admin')
  await api.patch(`${acme}/users/${demoted.id}`, { body: { name: 'Still an admin' } })
  await api.patch(`${acme}/users/${demoted.id}`, { body: { role: 'member' } })
  await allStopped(paths, 'owner_demoted')
  for (const path of Object.values(other)) expect(await stateOf(path)).toEqual({ enabled: true, reason: null })
  const webhook = paths['webhooks'] ?? ''
  expect((await api.patch(webhook, { as: demoted.as, body: { enabled: true } })).status).toBe(200)
  await api.patch(`${acme}/users/${demoted.id}`, { body: { role: 'admin' } })
  await api.patch(`${acme}/users/${demoted.id}`, { body: { role: 'member' } })
  await app.advance(10_000)
  expect(await stateOf(webhook)).toEqual({ enabled: true, reason: null })
})
