import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { receiver } from '../harness/receiver.ts'
import { webhooksOf } from '../harness/webhooks.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const hooks = webhooksOf(app)
const { create, endedRuns } = workflowsOf(app)
await app.startJobs()

const makeTask = {
  key: 'task',
  plugin_id: 'svc:create:record',
  input: { object: 'task', attributes: { title: 'Call' } },
}
const address = (id: string) => `/webhooks/workflows/acme/${id}`

test('a workflow that a webhook tells of what it has done itself does not begin again', async () => {
  const { id } = await create({
    name: 'Round',
    enabled: true,
    ...chain({ plugin_id: 'on:svc:automation-webhook' }, makeTask),
  })
  const beside = await receiver()
  for (const url of [`${app.baseUrl}${address(id)}`, beside.url])
    await hooks.create({ url, events: ['record.created'], filter: { object: 'task' } })
  expect((await app.api.post(address(id), { as: 'anonymous', body: {} })).status).toBe(200)
  await beside.until(1)
  await app.quiet()
  const runs = await endedRuns(id, 2)
  expect(runs.map(({ attributes }) => [attributes.status, attributes.suppressed_reason, attributes.depth])).toEqual([
    ['success', null, 1],
    ['suppressed', 'own_write', 2],
  ])
  expect(beside.got.map(({ headers }) => typeof headers['kontor-workflow-chain'])).toEqual(['string'])
})

test('what people do begins a chain and goes on with none', async () => {
  const there = await receiver()
  await hooks.create({ url: there.url, events: ['record.created'], filter: { object: 'company' } })
  await app.api.post('/workspaces/acme/objects/company/records', {
    body: { data: { type: 'company', attributes: {} } },
  })
  expect((await there.next()).headers['kontor-workflow-chain']).toBeUndefined()
})
