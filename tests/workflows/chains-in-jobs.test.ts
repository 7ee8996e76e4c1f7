import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { importsOf, mappingOf } from '../harness/imports.ts'
import { createKey } from '../harness/people.ts'
import { receiver } from '../harness/receiver.ts'
import { recordsOf } from '../harness/records.ts'
import { webhooksOf } from '../harness/webhooks.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const records = recordsOf(app)
const { create, runs, endedRuns, settled, until } = workflowsOf(app)
const hooks = webhooksOf(app)
const imports = importsOf(app, 'admin')
const acme = '/workspaces/acme'
const chainHeader = 'kontor-workflow-chain'

/** A workflow that calls others when a task is created: its requests carry a chain, which others pass on. */
const asked = await receiver()
const caller = await create({
  name: 'Caller',
  enabled: true,
  ...chain(
    { plugin_id: 'on:svc:create:record', input: { object: 'task' } },
    { key: 'call', plugin_id: 'webhook:send:outbound', input: { url: asked.url, body: {} } },
  ),
})
await records.create('task', { title: 'First' })
const { key } = await createKey(app.api.post, 'admin')
await app.startJobs()
const passed = String((await asked.next()).headers[chainHeader])

/** Calls an operation as the workflow would: with a key, and in its chain. */
const inChain = async (method: 'POST' | 'PATCH', path: string, body: Json = {}): Promise<Json> => {
  const headers = { authorization: `api-key ${key}`, 'content-type': 'application/json', [chainHeader]: passed }
  const sent = await app.http.send({ method, url: `${app.baseUrl}${path}`, headers, body: JSON.stringify(body) })
  expect([path, sent.status < 300, sent.body.errors]).toEqual([path, true, undefined])
  return sent.body
}

const person = (name: string) => ({ email_addresses: { items: [`${name}@chains.example`] } })
const tooDeep = { status: 'suppressed', suppressed_reason: 'max_depth', depth: 2 }

test('people whom a workflow enrols over HTTP go on its chain, one by one and by a list', async () => {
  const [ada, bob] = await records.createMany('person', [person('ada'), person('bob')])
  const lists = `${acme}/objects/person/lists`
  const list = (await app.api.post(lists, { body: { title: 'Chained', type: 'static' } })).body.data.id
  await app.api.post(`${lists}/${list}/resources`, { body: { data: [{ type: 'person', id: bob.id }] } })
  // The event of the list is followed before the campaign is there: it is not of the chain.
  await settled()
  const wait = { plugin_id: 'general:delay:for', input: { amount: 2, unit: 'days' } }
  const { body } = await app.api.post(`${acme}/campaigns`, {
    body: { name: 'Chained', list_id: list, blocks: { wait }, run_limits: { max_depth: 1 } },
  })
  const campaign = `${acme}/campaigns/${body.data.id}`
  await inChain('POST', `${campaign}/start`)
  expect((await endedRuns(body.data.id))[0]?.['attributes']).toMatchObject(tooDeep)
  const { data } = await inChain('POST', `${campaign}/recipients`, { items: [ada.id] })
  expect(data).toMatchObject([{ id: ada.id, status: 'suppressed' }])
  expect((await endedRuns(body.data.id, 2))[1]?.['attributes']).toMatchObject(tooDeep)
})

test('deliveries that a workflow tests, sends again or recovers go on its chain', async () => {
  const there = await receiver()
  const { _id: id } = await hooks.create({ url: there.url })
  const webhook = `${acme}/webhooks/${id}`
  const { data } = await inChain('POST', `${webhook}/test`)
  expect((await there.next()).headers[chainHeader]).toBeDefined()
  const own = await hooks.test(id)
  expect((await there.next()).headers[chainHeader]).toBeUndefined()
  await hooks.settled(id, own['_id'], { status: 'succeeded' })
  await inChain('POST', `${webhook}/deliveries/${own['_id']}/resend`)
  expect((await there.next()).headers[chainHeader]).toBeDefined()
  // It is of the chain by now, and stays so when it is sent again later.
  await hooks.settled(id, data.id, { status: 'succeeded' })
  await app.api.post(`${webhook}/deliveries/${data.id}/resend`)
  expect((await there.next()).headers[chainHeader]).toBeDefined()
})

test('what an import and its reverting write goes on the chain of the workflow that started them', async () => {
  const gone = await create({
    name: 'Gone',
    enabled: true,
    run_limits: { max_depth: 1 },
    trigger: { plugin_id: 'on:svc:delete:record', input: { object: 'task' } },
  })
  const upload_id = await imports.upload('Title\nImported\n')
  const mapping = mappingOf({ Title: 'title' })
  const { data } = await inChain('POST', `${acme}/imports`, { upload_id, object: 'task', mapping })
  expect(await imports.ended(data.id)).toMatchObject({ created: 1 })
  const suppressed = await until(async () =>
    (await runs(caller.id)).find(({ attributes }) => attributes.status === 'suppressed'),
  )
  expect(suppressed['attributes']).toMatchObject({ suppressed_reason: 'own_write', depth: 2 })
  await inChain('POST', `${acme}/imports/${data.id}/revert`)
  expect((await endedRuns(gone.id))[0]?.['attributes']).toMatchObject(tooDeep)
})
