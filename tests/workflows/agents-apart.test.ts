import { expect, test } from 'vitest'
import { agentsOf, program } from '../harness/agents.ts'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { createKey } from '../harness/people.ts'
import { workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const agents = agentsOf(app)
const { create, path, runsPath } = workflowsOf(app)

const keyWith = async (...scopes: string[]): Promise<Json> => ({
  authorization: `api-key ${(await createKey(app.api.post, 'admin', { scopes })).key}`,
})

const idsOf = async (query: Json = {}): Promise<[string[], number]> => {
  const { body } = await app.api.get(path, { query: { search: 'apart', ...query } })
  return [body.data.map(({ id }: Json) => id), body.meta.total_records]
}

test('workflows are listed without agents, unless these are asked for', async () => {
  const agent = await agents.create({ name: 'Apart agent', code: program('return 1') })
  const workflow = await create({ name: 'Apart workflow' })
  const sequence = await create({ name: 'Apart sequence', type: 'sequence' })
  expect(await idsOf()).toEqual([[workflow.id, sequence.id], 2])
  expect(await idsOf({ 'filter[type]': 'workflow' })).toEqual([[workflow.id], 1])
  expect(await idsOf({ 'filter[type]': 'agent' })).toEqual([[agent.id], 1])
})

test('what an agent is told to do is shown to nobody who may not read agents', async () => {
  const { id } = await agents.create({ code: program('return "first secret"') })
  await app.api.patch(`/workspaces/acme/agents/${id}`, { as: 'member', body: { code: program('return "secret"') } })
  const run = await agents.carryOut(id)
  const [blind, seeing] = [await keyWith('workflows:read'), await keyWith('workflows:read', 'agents:read')]
  const urls = [
    `${path}?filter[type]=agent`,
    `${path}/${id}`,
    `${path}/${id}/versions`,
    `${path}/${id}/versions/1`,
    `${path}/${id}/versions/2/diff`,
    `${runsPath}/${run.id}`,
  ]
  const answers = await Promise.all(
    urls.map(async (url) => [await app.api.get(url, { as: blind }), await app.api.get(url, { as: seeing })] as const),
  )
  for (const [index, [hidden, shown]] of answers.entries()) {
    expect([hidden.status, shown.status], urls[index]).toEqual([200, 200])
    const code = /export async function handler/
    expect([code.test(JSON.stringify(hidden.body)), code.test(JSON.stringify(shown.body))], urls[index]).toEqual([
      false,
      true,
    ])
  }
  expect(answers[1]?.[0].body.data.attributes.blocks.agent).toMatchObject({ plugin_id: 'agent:run', input: {} })
})

test('the block of agents is none that a workflow could have', async () => {
  const { body } = await app.api.get('/workspaces/acme/workflow-plugins', { query: { 'page[limit]': 200 } })
  const ids: string[] = body.data.map(({ id }: Json) => id)
  expect([ids.includes('agent:run'), ids.includes('code:execute'), ids.length]).toEqual([
    false,
    true,
    body.meta.total_records,
  ])
})
