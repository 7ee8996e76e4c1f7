import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const records = recordsOf(app)
const { create, runIn, path, runsPath } = workflowsOf(app)

const graph = (body: Json): Json => ({
  trigger: { plugin_id: 'on:manual:execution', next: 'each' },
  blocks: {
    each: {
      plugin_id: 'general:for-each',
      input: { items: '{{trigger.state.event.data.items}}', do: 'make' },
      next: 'after',
    },
    make: {
      plugin_id: 'svc:create:record',
      input: { object: 'task', attributes: { title: '{{each.state.output.item.title}}' } },
      ...body,
    },
    rest: { plugin_id: 'general:delay:for', input: { amount: 1, unit: 'days' } },
    after: {
      plugin_id: 'svc:create:record',
      input: { object: 'task', attributes: { title: 'After {{each.state.output.index}}' } },
    },
  },
})

const titled = async (title: string): Promise<number> =>
  (await records.list('task', { 'filter[title]': title })).body.meta.total_records

const begin = async (id: string, items: unknown): Promise<string> =>
  (await app.api.post(`${path}/${id}/runs`, { body: { data: { items } } })).body.data.id

test('runs a chain once for each item, goes on behind them, and begins again where it was', async () => {
  const { id } = await create({ name: 'Each', enabled: true, ...graph({ next: 'rest' }) })
  const runId = await begin(id, [{ title: 'One' }, { title: 'Two' }])
  expect((await runIn(runId, 'waiting')).attributes.progress).toEqual({ block_id: 'each', done: 0, total: 2 })
  await app.api.post(`${runsPath}/${runId}/resume`)
  const second = await runIn(runId, 'waiting')
  expect(second.attributes.progress).toEqual({ block_id: 'each', done: 1, total: 2 })
  await app.api.post(`${runsPath}/${runId}/resume`)
  const { attributes } = await runIn(runId)
  expect(attributes).toMatchObject({ status: 'success', progress: null })
  expect(attributes.steps.map(({ block_id }: Json) => block_id)).toEqual([
    'each',
    'make',
    'rest',
    'each',
    'make',
    'rest',
    'each',
    'after',
  ])
  expect([await titled('One'), await titled('Two'), await titled('After 2')]).toEqual([1, 1, 1])
})

test('takes more items than one turn has, each once, and none of an empty list', async () => {
  const { rest: _rest, ...blocks } = graph({})['blocks']
  const { id } = await create({ name: 'Many', enabled: true, ...graph({}), blocks })
  const items = Array.from({ length: 120 }, () => ({ title: 'Of many' }))
  expect((await runIn(await begin(id, items))).attributes).toMatchObject({ status: 'success' })
  expect([await titled('Of many'), await titled('After 120')]).toEqual([120, 1])
  expect((await runIn(await begin(id, []))).attributes.steps).toMatchObject([
    { block_id: 'each' },
    { block_id: 'after' },
  ])
  const misspelt = { ...blocks, each: { ...blocks.each, input: { items: '{{nowhere.state.output}}', do: 'make' } } }
  const refused = await app.api.patch(`${path}/${id}`, { body: { blocks: misspelt } })
  expect([refused.status, refused.body.errors[0].source.pointer]).toEqual([422, '/blocks/each/input/items'])
  const failed = await runIn(await begin(id, 'no list'))
  expect(failed.attributes.error).toMatchObject({ code: 'invalid_input', block_id: 'each' })
})
