import { expect, test } from 'vitest'
import { agentsOf, program } from '../harness/agents.ts'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { createKey, type Caller } from '../harness/people.ts'
import { receiver, status } from '../harness/receiver.ts'
import { recordsOf } from '../harness/records.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

/** Its jobs begin with the first wait for a run. */
const app = await startApp()
const { api } = app
const records = recordsOf(app)
const { create, run, runIn, until, path, runsPath } = workflowsOf(app)
const agents = agentsOf(app)
const hook = await receiver()

const byHand = { plugin_id: 'on:manual:execution' }
const call = { key: 'call', plugin_id: 'webhook:send:outbound', input: { url: hook.url, body: {} } }
const makeTask = (title: string) => ({
  key: 'task',
  plugin_id: 'svc:create:record',
  input: { object: 'task', attributes: { title } },
})
const begin = async (id: string): Promise<string> => (await api.post(`${path}/${id}/runs`, { body: {} })).body.data.id
const tasks = async (title: string): Promise<Json[]> =>
  (await records.list('task', { 'filter[title]': title })).body.data
const enable = (id: string) => api.patch(`${path}/${id}`, { body: { enabled: true } })

type Owner = { readonly as: Caller; readonly end: () => Promise<unknown> }

async function whoLeaves(): Promise<Owner> {
  const { id, as } = await app.addMember('admin', 'leaver')
  return { as, end: () => api.delete(`/workspaces/acme/users/${id}`) }
}
async function whoIsDemoted(): Promise<Owner> {
  const { id, as } = await app.addMember('admin', 'lowered')
  return { as, end: () => api.patch(`/workspaces/acme/users/${id}`, { body: { role: 'viewer' } }) }
}
async function withKey(): Promise<Owner> {
  const { id, key } = await createKey(api.post, 'admin')
  return { as: { authorization: `api-key ${key}` }, end: () => api.delete(`/workspaces/acme/api-keys/${id}`) }
}

test.each([
  ['leaves the workspace', 'owner_left', whoLeaves],
  ['becomes a viewer', 'owner_demoted', whoIsDemoted],
  ['loses the key', 'credential_ended', withKey],
] as const)('a run whose owner %s between two steps is held, not failed', async (title, reason, make) => {
  const { as, end } = await make()
  const { id } = await create({ name: title, enabled: true, ...chain(byHand, call, makeTask(title)) }, as)
  const sent = hook.got.length
  let ended: Promise<unknown> = Promise.resolve()
  hook.answer((response, request) => void (ended = end().then(() => status(200)(response, request))))
  const runId = await begin(id)
  const held = await runIn(runId, 'held', 'failed', 'success')
  await ended
  expect(held.attributes).toMatchObject({ status: 'held', held_reason: reason, error: null, current_block_id: 'task' })
  expect(await tasks(title)).toEqual([])
  await enable(id)
  const { attributes } = await runIn(runId)
  expect(attributes).toMatchObject({ status: 'success', held_reason: null, acting_id: app.userIds.admin })
  expect([hook.got.length - sent, (await tasks(title)).length]).toEqual([1, 1])
})

test('a workflow that is enabled before the server has stopped it is taken over, and stays enabled', async () => {
  const { as, end } = await whoLeaves()
  const { id } = await create({ name: 'Early', enabled: true, ...chain(byHand, makeTask('Early')) }, as)
  await end()
  const { body } = await enable(id)
  expect(body.data.attributes).toMatchObject({ enabled: true, acting_id: app.userIds.admin, stopped_reason: null })
  await app.quiet()
  expect((await runIn(await begin(id))).attributes).toMatchObject({ status: 'success', acting_id: app.userIds.admin })
  expect((await api.get(`${path}/${id}`)).body.data.attributes.enabled).toBe(true)
})

test('a run that had failed before its owner left is held by a retry, and goes on with the next owner', async () => {
  const { as, end } = await whoLeaves()
  hook.answer(status(400))
  const { id } = await create({ name: 'Again', enabled: true, ...chain(byHand, call, makeTask('Again')) }, as)
  const runId = await begin(id)
  expect((await runIn(runId)).attributes).toMatchObject({ status: 'failed', error: { block_id: 'call' } })
  await end()
  await api.post(`${runsPath}/${runId}/retry`, { body: { from: 'failed' } })
  expect((await runIn(runId, 'held')).attributes).toMatchObject({ held_reason: 'owner_left', error: null })
  await enable(id)
  expect((await runIn(runId)).attributes).toMatchObject({ status: 'success', acting_id: app.userIds.admin })
  expect((await run(runId)).attributes.status).toBe('success')
})

test('a program of an agent makes no more calls from when the key of its owner is revoked', async () => {
  const { as, end } = await withKey()
  const code = program(`
    await fetch('${hook.url}', { method: 'POST', body: '{}' })
    return client.records.createBulk('task', [{ title: 'Coded' }])`)
  const agent = await agents.create({ scopes: ['records:write'], code }, as)
  hook.answer((response, request) => void end().then(() => status(200)(response, request)))
  const begun = await agents.begin(agent['id'], {}, 'admin')
  const { attributes } = await until(async () => {
    const found = await agents.run(agent['id'], begun['id'])
    return ['held', 'failed', 'success'].includes(found['attributes'].status) && found
  })
  expect(attributes).toMatchObject({ status: 'held', held_reason: 'credential_ended', error: null })
  expect(await tasks('Coded')).toEqual([])
})

test('a campaign that is resumed by another enrols the rest of its list', async () => {
  const people = await records.createMany(
    'person',
    ['ann', 'bob'].map((name) => ({ email_addresses: { items: [`${name}@leaving.example`] } })),
  )
  const lists = '/workspaces/acme/objects/person/lists'
  const list = (await api.post(lists, { body: { title: 'Left', type: 'static' } })).body.data.id
  await api.post(`${lists}/${list}/resources`, {
    body: { data: people.map((one) => ({ type: 'person', id: one['id'] })) },
  })
  const { as, end } = await whoLeaves()
  const campaigns = '/workspaces/acme/campaigns'
  const wait = { plugin_id: 'general:delay:for', input: { amount: 2, unit: 'days' } }
  const { body } = await api.post(campaigns, { as, body: { name: 'Left', list_id: list, blocks: { wait } } })
  const campaign = `${campaigns}/${body.data.id}`
  await api.post(`${campaign}/start`, { as, body: {} })
  await end()
  await until(async () => !(await api.get(campaign)).body.data.attributes.enabled)
  await app.quiet()
  await api.post(`${campaign}/resume`, { body: {} })
  await until(async () => (await api.get(`${campaign}/recipients`)).body.meta.total_records === 2)
})
