import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { receiver, status } from '../harness/receiver.ts'
import { recordsOf } from '../harness/records.ts'
import { webhooksOf, webhooksPath } from '../harness/webhooks.ts'

const app = await startApp()
const hooks = webhooksOf(app, 'adminKey')
const records = recordsOf(app, 'adminKey')
await app.startJobs()

const hour = 3_600_000
const namesIn = ({ got }: { got: readonly { body: Json }[] }) =>
  got.map(({ body }) => body.data.diff.find(({ path }: Json) => path[0] === 'name').val)
const create = (name: string) => records.create('company', { name })
/** Another node of the server, or this one after its clock was set right, is behind by an hour. */
const turnBack = () => app.stopClock(app.now() - hour)

test('sends what happens after a webhook was made and enabled, whatever the clock says', async () => {
  const there = await receiver()
  const since = new Date(app.now() - 3 * hour).toISOString()
  await create('Before')
  const { _id } = await hooks.create({ url: there.url, events: ['record.created'], filter: { object: 'company' } })
  turnBack()
  await create('Behind')
  await app.idle()
  await app.quiet()
  await there.until(1)
  await hooks.update(_id, { enabled: false })
  await create('Missed')
  await hooks.update(_id, { enabled: true })
  turnBack()
  await create('Behind again')
  await app.idle()
  await app.quiet()
  await there.until(2)
  expect(namesIn(there)).toEqual(['Behind', 'Behind again'])
  const { body } = await app.api.post(`${webhooksPath}/${_id}/recover`, { as: 'adminKey', body: { since } })
  expect(body.meta.deliveries).toBe(1)
  await there.until(3)
  expect(namesIn(there)).toEqual(['Behind', 'Behind again', 'Missed'])
})

test('sends at once what was planned by a clock that has been set back', async () => {
  const there = await receiver()
  const { _id } = await hooks.create({ url: there.url })
  app.stopClock(app.now() + 5 * hour)
  there.answer(status(500))
  const { _id: id } = await hooks.test(_id)
  await hooks.settled(_id, id, { attempts: 1 })
  app.stopClock(app.now() - 5 * hour)
  await hooks.test(_id)
  await there.until(3)
  await hooks.settled(_id, id, { status: 'succeeded' })
})
