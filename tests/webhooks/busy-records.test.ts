import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { receiver } from '../harness/receiver.ts'
import { recordsOf } from '../harness/records.ts'
import { webhooksOf } from '../harness/webhooks.ts'

const app = await startApp()
const records = recordsOf(app)
const path = '/workspaces/acme/objects/deal/records'

test('judges a record by its own changes, however many others of the batch changed since', async () => {
  const there = await receiver()
  const where = { field: 'stage', op: 'Is', value: 'Won' }
  await webhooksOf(app).create({ url: there.url, events: ['record.updated'], filter: { object: 'deal', where } })
  const others = await records.createMany(
    'deal',
    Array.from({ length: 200 }, () => ({ stage: 'Lead' })),
  )
  const { id } = await records.create('deal', { stage: 'Won' })
  await records.patch('deal', id, { amount: 1 })
  for (let amount = 1; amount <= 11; amount++) {
    const data = others.map((other: Json) => ({ id: other.id, type: 'deal', attributes: { amount } }))
    expect((await app.api.patch(path, { body: { data } })).status).toBe(200)
  }
  await records.patch('deal', id, { stage: 'Lost' })
  // The jobs begin after the changes: the log is read in batches that hold many records.
  await app.startJobs()
  await app.idle()
  await app.quiet()
  await there.until(1)
  expect(there.got.map(({ body }) => [body.type, body.record_id])).toEqual([['record.updated', id]])
})
