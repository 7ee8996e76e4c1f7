import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const { create, run, runIn, until, path } = workflowsOf(app)

test('a run fails if its server ends twice in the same step, and continues otherwise', async () => {
  const wait = { key: 'wait', plugin_id: 'general:delay:for', input: { amount: 1, unit: 'days' } }
  const { id } = await create({ name: 'Deadly', enabled: true, ...chain({ plugin_id: 'on:manual:execution' }, wait) })
  const begin = async () => (await app.api.post(`${path}/${id}/runs`, { body: {} })).body.data.id
  const deadly = await begin()
  await app.loseWorker('workflows.run', deadly, 4)
  const innocent = await begin()
  await app.loseWorker('workflows.run', innocent, 2)
  await until(async () => {
    app.wait(1000)
    return (await run(innocent)).attributes.status === 'waiting'
  })
  expect((await runIn(deadly)).attributes).toMatchObject({
    status: 'failed',
    error: { code: 'worker_lost', block_id: 'wait' },
  })
})
