import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, inject, test } from 'vitest'
import type { Topic } from '../../packages/server/src/db/published-topics.ts'
import type { Database } from '../../packages/server/src/db/tx.ts'
import { freshUrl, open } from './fresh.ts'

const publish = (database: Database, ...topics: Topic[]): Promise<void> =>
  database.write(async (tx) => topics.forEach((topic) => tx.publish(topic)))

/** How often a database hears of a topic. */
function hearing(database: Database, topic: Topic, reach?: 'here' | 'everywhere') {
  let times = 0
  database.subscribe(topic, () => times++, reach)
  return { times: () => times, forget: () => void (times = 0) }
}

const soon = { timeout: 10_000, interval: 10 }

/** Two that share a database, of which the second listens. */
async function two() {
  const url = await freshUrl()
  const [speaker, listener] = [open(url), open(url)]
  const jobs = hearing(listener, 'jobs', 'everywhere')
  // It hears of everything once when it begins to listen.
  await expect.poll(jobs.times, soon).toBe(1)
  jobs.forget()
  return { speaker, listener, jobs }
}

describe.runIf(inject('database') === 'postgres')('between processes', () => {
  test('a commit is heard of in others, with what has no listener where it was made', async () => {
    const { speaker, listener, jobs } = await two()
    const [events, counts, outbox] = [
      hearing(listener, 'events'),
      hearing(listener, 'counts'),
      hearing(listener, 'outbox'),
    ]
    hearing(speaker, 'events')
    hearing(speaker, 'outbox')
    await publish(speaker, 'jobs', 'events', 'counts', 'outbox')
    await expect.poll(jobs.times, soon).toBe(1)
    await expect.poll(counts.times, soon).toBe(1)
    expect([events.times(), outbox.times()]).toEqual([0, 0])
  })

  test('what is published quickly is told together', async () => {
    const { speaker, jobs } = await two()
    const from = performance.now()
    for (let number = 0; number < 50; number++) await publish(speaker, 'jobs')
    const tookMs = performance.now() - from
    await expect.poll(jobs.times, soon).toBeGreaterThan(0)
    await sleep(200)
    expect(jobs.times()).toBeLessThanOrEqual(tookMs / 50 + 2)
  })

  test('a connection that breaks is opened again, and everything counts as told', async () => {
    const { speaker, listener, jobs } = await two()
    await listener.reader.query(({ knex }) =>
      knex.raw(`select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'kontor-listen' and datname = current_database()`),
    )
    await expect.poll(jobs.times, soon).toBe(1)
    jobs.forget()
    await publish(speaker, 'jobs')
    await expect.poll(jobs.times, soon).toBe(1)
  })

  test('a message of another program is none', async () => {
    const { speaker, listener, jobs } = await two()
    for (const text of ['hello', '[]', '{"from":1,"topics":"jobs"}', ''])
      await listener.reader.query(({ knex }) => knex.raw("select pg_notify('kontor', ?)", [text]))
    await publish(speaker, 'jobs')
    await expect.poll(jobs.times, soon).toBe(1)
  })

  test('what was rolled back is not told', async () => {
    const { speaker, jobs } = await two()
    const failed = speaker.write(async (tx) => {
      tx.publish('jobs')
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    await sleep(200)
    expect(jobs.times()).toBe(0)
  })
})

test('a commit is heard of in its own process, however far one listens', async () => {
  const database = open(await freshUrl())
  const [here, everywhere] = [hearing(database, 'events'), hearing(database, 'events', 'everywhere')]
  await expect.poll(async () => here.times() + everywhere.times(), soon).toBeLessThanOrEqual(1)
  await sleep(100)
  const before = everywhere.times()
  await publish(database, 'events')
  expect([here.times(), everywhere.times() - before]).toEqual([1, 1])
})
