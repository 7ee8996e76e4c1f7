import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { notificationsOf } from '../harness/notifications.ts'
import { receiver, status } from '../harness/receiver.ts'
import { webhooksOf } from '../harness/webhooks.ts'

const app = await startApp()
// By a key, which outlives what tests let pass.
const hooks = webhooksOf(app, 'adminKey')
await app.startJobs()

app.stopClock(app.now())
const bystander = await hooks.create({ url: (await receiver()).url })
/** Lets time pass, and servers look for what has become due. */
const pass = async (ms: number): Promise<void> => {
  app.stopClock(app.now() + ms)
  await hooks.test(bystander['_id'])
}

const day = 86_400_000

/** The events of a webhook, and the notifications of its owner, since the last call. */
const told = async (id: string): Promise<Json[]> =>
  (await app.events()).filter(({ record_id }) => record_id === id).map(({ type, payload }) => [type, payload])

const kinds = async (id: string): Promise<string[]> => {
  await app.quiet()
  const all = await notificationsOf(app).list('adminKey', '?page[limit]=100')
  return all.filter(({ attributes }) => attributes.record_id === id).map(({ attributes }) => attributes.kind)
}

test('its owner is told at 50, 70 and 90 % of the time until it is disabled, and when it works again', async () => {
  const there = await receiver()
  there.always(status(500))
  const { _id } = await hooks.create({ url: there.url })
  const { _id: id } = await hooks.test(_id)
  await hooks.settled(_id, id, { attempts: 1 })
  const { failing_since } = await hooks.get(_id)
  const disabled_from = new Date(Date.parse(failing_since) + 5 * day).toISOString()
  await app.events()
  for (const [index, days] of [2.4, 0.2, 0.8, 0.2, 1].entries()) {
    await pass(days * day)
    await hooks.settled(_id, id, { attempts: index + 2 })
    const percent = [undefined, 50, undefined, 70, 90][index]
    expect(await told(_id)).toEqual(
      percent === undefined ? [] : [['webhook.failing', { percent, failing_since, disabled_from }]],
    )
  }
  there.always(status(200))
  await pass(day / 100)
  await hooks.settled(_id, id, { status: 'succeeded' })
  expect(await told(_id)).toEqual([['webhook.recovered', { failing_since }]])
  expect(await kinds(_id)).toEqual(['webhook_recovery', 'webhook_failure', 'webhook_failure', 'webhook_failure'])
})

test('what has passed unseen is told once, and then the end', async () => {
  const there = await receiver()
  there.always(status(500))
  const { _id } = await hooks.create({ url: there.url })
  const { _id: id } = await hooks.test(_id)
  await hooks.settled(_id, id, { attempts: 1 })
  await app.events()
  await pass(4.6 * day)
  await hooks.settled(_id, id, { attempts: 2 })
  expect((await told(_id)).map(([type, { percent }]) => [type, percent])).toEqual([['webhook.failing', 90]])
  await pass(day)
  await hooks.settled(_id, id, { attempts: 3, status: 'failed' })
  expect(await told(_id)).toEqual([['webhook.disabled', { reason: 'failing' }]])
  expect(await kinds(_id)).toEqual(['webhook_failure', 'webhook_failure'])
})

test('a failure of an hour is told of to nobody', async () => {
  const there = await receiver()
  there.answer(status(500), status(200))
  const { _id } = await hooks.create({ url: there.url })
  const { _id: id } = await hooks.test(_id)
  await hooks.settled(_id, id, { attempts: 1 })
  await app.events()
  await pass(day / 24)
  await hooks.settled(_id, id, { status: 'succeeded' })
  expect([await told(_id), await kinds(_id)]).toEqual([[], []])
})
