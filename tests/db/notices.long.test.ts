import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, inject, test } from 'vitest'
import { publish, soon, two } from './speaker-and-listener.ts'

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
})
