import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { receiver } from '../harness/receiver.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const { create, run, runIn, until, path } = workflowsOf(app)
const begin = async (id: string): Promise<string> =>
  (await app.api.post(`${path}/${id}/runs`, { body: {} })).body.data.id

test('a run fails if its server ends twice in the same step, and continues otherwise', async () => {
  const wait = { key: 'wait', plugin_id: 'general:delay:for', input: { amount: 1, unit: 'days' } }
  const { id } = await create({ name: 'Deadly', enabled: true, ...chain({ plugin_id: 'on:manual:execution' }, wait) })
  const deadly = await begin(id)
  await app.loseWorker('workflows.run', deadly, 4)
  const innocent = await begin(id)
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

const call = (key: string, url: string, body = {}) => ({
  key,
  plugin_id: 'webhook:send:outbound',
  input: { url, body },
})

test('a step that reads much fails with the second process that ends at it, and not with the third', async () => {
  const other = await receiver()
  const large = 'x'.repeat(600_000)
  other.always((response, { path: to }) => to.endsWith('?large') && response.end(large))
  const named = ['{{first.state.output.status}}', '{{second.state.output.status}}']
  const { id } = await create({
    name: 'Heavy',
    enabled: true,
    ...chain(
      { plugin_id: 'on:manual:execution' },
      call('first', `${other.url}?large`),
      call('second', `${other.url}?large`),
      call('heavy', other.url, { named }),
    ),
  })
  const runId = await begin(id)
  const heavy = () => other.got.filter(({ path: to }) => !to.endsWith('?large')).length
  for (const deaths of [1, 2]) {
    await until(async () => {
      app.wait(1000)
      return heavy() === deaths
    })
    await app.loseWorker('workflows.run', runId)
  }
  await until(async () => {
    app.wait(1000)
    return (await run(runId)).attributes.status === 'failed'
  })
  expect((await run(runId)).attributes.error).toMatchObject({ code: 'worker_lost', block_id: 'heavy' })
  expect(heavy()).toBe(2)
})
