import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { holdWrites } from '../harness/database.ts'
import type { Json } from '../harness/http.ts'
import { withoutTable } from '../harness/missing-table.ts'
import { recordsOf } from '../harness/records.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const records = recordsOf(app)
const { create, run, runs, runIn, until, path } = workflowsOf(app)

const byHand = { plugin_id: 'on:manual:execution' }
const make = (title: string, key = 'task') => ({
  key,
  plugin_id: 'svc:create:record',
  input: { object: 'task', attributes: { title } },
})

const begin = async (id: string, body: Json = {}): Promise<string> =>
  (await app.api.post(`${path}/${id}/runs`, { body })).body.data.id

const tasksCalled = async (title: string): Promise<Json[]> =>
  (await records.list('task', { 'filter[title]': title })).body.data

test('what a step changes is there exactly if the step is', async () => {
  const { id } = await create({ name: 'Broken', enabled: true, ...chain(byHand, make('Once')) })
  const runId = await begin(id)
  await withoutTable(app.databaseUrl, 'workflow_step', async () => {
    await app.startJobs()
    // Its steps cannot be read either.
    await until(async () => (await runs(id))[0].attributes.status === 'retrying')
  })
  expect(app.takeErrors().length).toBeGreaterThan(0)
  expect(await tasksCalled('Once')).toEqual([])
  await app.api.post(`/workspaces/acme/workflow-runs/${runId}/resume`)
  expect((await runIn(runId)).attributes).toMatchObject({ status: 'success', steps: [{ attempts: 2 }] })
  expect(await tasksCalled('Once')).toHaveLength(1)
})

test('a run that is cancelled while a step is under way has the step and what it changes, or neither', async () => {
  const { id } = await create({ name: 'Cut', enabled: true, ...chain(byHand, make('Cut'), make('Never', 'other')) })
  await app.startJobs()
  const runId = await begin(id)
  const release = await holdWrites(app.databaseUrl)
  const cancelled = app.api.post(`/workspaces/acme/workflow-runs/${runId}/cancel`)
  await release()
  expect((await cancelled).status).toBe(200)
  await app.settled('workflows.run')
  const { attributes } = await run(runId)
  const done = attributes.steps.filter(({ status }: Json) => status === 'success')
  expect((await tasksCalled('Cut')).length + (await tasksCalled('Never')).length).toBe(done.length)
})

test('steps that touch nothing are stored with the change behind them', async () => {
  const always = { field: 'trigger.state.event.data.nothing', op: 'Is empty' }
  const branch = {
    key: 'branch',
    plugin_id: 'general:branch',
    input: { branches: [{ key: 'always', filter: always, next: 'task' }] },
  }
  const { id } = await create({ name: 'Branch', enabled: true, ...chain(byHand, branch, make('Behind')) })
  const { attributes } = await runIn(await begin(id))
  expect(attributes).toMatchObject({ status: 'success', steps: [{ block_id: 'branch' }, { block_id: 'task' }] })
  expect(await tasksCalled('Behind')).toHaveLength(1)
})
