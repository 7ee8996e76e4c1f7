import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const { path } = workflowsOf(app)

test('a large graph is checked quickly', async () => {
  const blocks = Array.from({ length: 200 }, (_, index) => ({
    key: `b${index}`,
    plugin_id: 'svc:create:record',
    input: {
      object: 'task',
      attributes: { title: index === 0 ? 'First' : `After {{b${index - 1}.state.output.record.id}}` },
    },
  }))
  const graph = chain({ plugin_id: 'on:svc:create:record', input: { object: 'deal' } }, ...blocks)
  const began = performance.now()
  expect((await app.api.post(path, { body: { name: 'Large', enabled: true, ...graph } })).status).toBe(201)
  expect(performance.now() - began).toBeLessThan(2000)
})
