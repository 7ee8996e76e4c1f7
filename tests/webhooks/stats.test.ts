import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { receiver, status } from '../harness/receiver.ts'
import { webhooksOf, webhooksPath } from '../harness/webhooks.ts'

const app = await startApp()
const hooks = webhooksOf(app)
await app.startJobs()

const statsOf = async (id: string): Promise<Json> => {
  const { body } = await app.api.get(`${webhooksPath}/${id}/stats`)
  expect(body.data).toMatchObject({ type: 'webhook-stats', id })
  return body.data.attributes
}

test('tells how many of the latest deliveries arrived, and how long the receiver took', async () => {
  const there = await receiver()
  there.answer(status(200), status(410))
  const { _id } = await hooks.create({ url: there.url })
  const nothing = { success_rate: null, duration_p50_ms: null, duration_p95_ms: null }
  expect(await statsOf(_id)).toEqual({ deliveries: 0, succeeded: 0, failed: 0, ...nothing })
  for (const state of ['succeeded', 'failed']) {
    const { _id: delivery } = await hooks.test(_id)
    await hooks.settled(_id, delivery, { status: state })
  }
  const durations = (
    await Promise.all((await hooks.deliveries(_id)).map((one) => hooks.delivery(_id, one['_id'])))
  ).map(({ log }) => log[0].duration_ms)
  expect(await statsOf(_id)).toEqual({
    deliveries: 2,
    succeeded: 1,
    failed: 1,
    success_rate: 0.5,
    duration_p50_ms: Math.min(...durations),
    duration_p95_ms: Math.max(...durations),
  })
})

test('is for its owner and for admins', async () => {
  const { _id } = await hooks.create({ url: (await receiver()).url })
  expect((await app.api.get(`${webhooksPath}/${_id}/stats`, { as: 'member' })).status).toBe(404)
})
