import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { receiver } from '../harness/receiver.ts'
import { recordsOf } from '../harness/records.ts'
import { webhooksOf } from '../harness/webhooks.ts'

const app = await startApp()
const hooks = webhooksOf(app)
await app.startJobs()

test('an event reaches a receiver within a second', async () => {
  const there = await receiver()
  await hooks.create({ url: there.url, events: ['record.created'], filter: { object: 'person' } })
  const tookMs: number[] = []
  for (let index = 1; index <= 20; index++) {
    const began = performance.now()
    await recordsOf(app).create('person', {})
    await there.until(index)
    tookMs.push(performance.now() - began)
  }
  expect(tookMs.toSorted((one, other) => one - other)[18]).toBeLessThan(1000)
})
