import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { receiver } from '../harness/receiver.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const { create, run, runIn, path, runsPath } = workflowsOf(app)
const byHand = { plugin_id: 'on:manual:execution' }

const large = await receiver()
large.always((response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(990_000)))

const call = (key: string) => ({
  key,
  plugin_id: 'webhook:send:outbound',
  input: { url: large.url, body: {} },
})

const begin = async (id: string): Promise<string> =>
  (await app.api.post(`${path}/${id}/runs`, { body: {} })).body.data.id

test('a run ends at the step whose output is too large for it, and shows large contents step by step', async () => {
  const calls = Array.from({ length: 18 }, (_, index) => call(`call_${index}`))
  const { id } = await create({ name: 'Large', enabled: true, ...chain(byHand, ...calls) })
  const { attributes } = await runIn(await begin(id))
  expect(attributes).toMatchObject({ status: 'failed', error: { code: 'run_too_large', block_id: 'call_16' } })
  expect(attributes.steps.map(({ contents }: Json) => contents)).toEqual([
    'shown',
    ...Array.from({ length: 15 }, () => 'too_large'),
    'shown',
  ])
  expect(attributes.steps[3]).toMatchObject({ number: 3, status: 'success', input: null, output: null })
  const step = `${runsPath}/${attributes._id}/steps/3`
  const { body } = await app.api.get(step)
  expect(body.data).toMatchObject({
    id: `${attributes._id}:3`,
    attributes: { block_id: 'call_3', contents: 'shown', output: { status: 200 } },
  })
  expect(body.data.attributes.output.body).toHaveLength(990_000)
  expect((await app.api.get(`${runsPath}/${attributes._id}/steps/99`)).status).toBe(404)
})

test('a later step reads the large output that it names, and conditions do', async () => {
  const { id } = await create({
    name: 'Reads',
    enabled: true,
    ...chain(
      byHand,
      call('first'),
      call('second'),
      {
        key: 'noted',
        plugin_id: 'svc:create:record',
        filters: [{ field: 'first.state.output.status', condition: { operator: 'Is', value: 200 } }],
        input: { object: 'task', attributes: { title: 'Answered {{second.state.output.status}}' } },
      },
      {
        key: 'counted',
        plugin_id: 'code:execute',
        input: {
          code: 'export const handler = (_, { workflowContext }) => workflowContext.blocks.first.result.body.length',
        },
      },
    ),
  })
  const runId = await begin(id)
  expect((await runIn(runId)).attributes).toMatchObject({ status: 'success' })
  const { steps } = (await run(runId)).attributes
  expect(steps[2].output.record.attributes.title).toBe('Answered 200')
  expect(steps[3].output).toBe(990_000)
})
