import { expect, test } from 'vitest'
import { agentsOf, agentsPath, program } from '../harness/agents.ts'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'

const app = await startApp()
const { api } = app
const { create, carryOut, until } = agentsOf(app)
const as = 'adminKey'

const isGone = (id: string): Promise<boolean> => until(async () => Object.keys(await app.remains(id)).length === 0)

test('a deleted campaign leaves no rows of its recipients, runs, days and domains', async () => {
  const person = await recordsOf(app, as).create('person', { email_addresses: { items: ['reader@example.com'] } })
  const send = { plugin_id: 'svc:send:email', input: { subject: 'Hello', text: 'Hello.' } }
  const sending = { daily_cap: 5, per_domain_per_minute: 1 }
  const path = '/workspaces/acme/campaigns'
  const { id } = (await api.post(path, { as, body: { name: 'Spring', blocks: { send }, sending } })).body.data
  await api.post(`${path}/${id}/start`, { as })
  await api.post(`${path}/${id}/recipients`, { as, body: { items: [person.id] } })
  const run: string = await until(async () => {
    const [recipient] = (await api.get(`${path}/${id}/recipients`, { as })).body.data as Json[]
    return recipient?.['attributes'].status === 'success' && recipient['attributes'].workflow_run_id
  })
  expect(await app.remains(id)).toMatchObject({ campaign: 1, campaign_recipient: 1, campaign_day: 1, workflow_run: 1 })
  expect(await app.remains(run)).toMatchObject({ campaign_place: 1, workflow_step: 1 })
  expect((await api.delete(`${path}/${id}`, { as })).status).toBe(202)
  await isGone(id)
  await isGone(run)
})

test('a deleted agent leaves no rows of its runs and of their undoing', async () => {
  const agent = await create({ code: program('return 1'), scopes: [] })
  const { id: run } = await carryOut(agent.id)
  expect((await api.post(`${agentsPath}/${agent.id}/runs/${run}/undo`, { as: 'member' })).status).toBe(202)
  expect(await app.remains(run)).toMatchObject({ agent_undo: 1 })
  expect((await api.delete(`${agentsPath}/${agent.id}`, { as: 'member' })).status).toBe(202)
  await isGone(agent.id)
  await isGone(run)
})
