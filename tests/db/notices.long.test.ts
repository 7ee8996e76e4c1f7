import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, inject, test } from 'vitest'
import { databaseProxy } from '../server/chaos/database-proxy.ts'
import { freshUrl, open } from './fresh.ts'
import { hearing, publish, soon, two } from './speaker-and-listener.ts'

describe.runIf(inject('database') === 'postgres')('between processes', () => {
  test('what is published quickly is told together', async () => {
    const { speaker, jobs } = await two()
    const from = performance.now()
    for (let number = 0; number < 50; number++) await publish(speaker, 'jobs')
    const tookMs = performance.now() - from
    await expect.poll(jobs.times, soon).toBeGreaterThan(0)
    await sleep(200)
    expect(jobs.times()).toBeLessThanOrEqual(tookMs / 50 + 2)
  })

  test('a connection that loses all bytes is opened again, although its process sends no statement', async () => {
    const url = await freshUrl()
    const network = await databaseProxy(url)
    const [speaker, listener] = [open(url), open(network.url)]
    const jobs = hearing(listener, 'jobs', 'everywhere')
    await expect.poll(jobs.times, soon).toBe(1)
    jobs.forget()
    network.silence()
    await expect.poll(jobs.times, soon).toBeGreaterThan(0)
    jobs.forget()
    await publish(speaker, 'jobs')
    await expect.poll(jobs.times, soon).toBeGreaterThan(0)
  })
})
