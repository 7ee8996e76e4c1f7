import { describe, expect, inject, test } from 'vitest'
import { freshUrl, open } from './fresh.ts'
import { hearing, publish, soon, two } from './speaker-and-listener.ts'

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

  test('a connection that breaks is opened again, and everything counts as told', async () => {
    const { speaker, listener, jobs } = await two()
    await listener.reader.query(({ knex }) =>
      knex.raw(`select pg_terminate_backend(pid) from pg_stat_activity
          where application_name like 'kontor-listen %' and datname = current_database()`),
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
    const { speaker, listener, jobs } = await two()
    const events = hearing(listener, 'events', 'everywhere')
    const failed = speaker.write(async (tx) => {
      tx.publish('jobs')
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    // Told in the order in which they are published, or together.
    await publish(speaker, 'events')
    await expect.poll(events.times, soon).toBe(1)
    expect(jobs.times()).toBe(0)
  })
})

test('a commit is heard of in its own process, however far one listens', async () => {
  const database = open(await freshUrl())
  const [here, everywhere] = [hearing(database, 'events'), hearing(database, 'events', 'everywhere')]
  // Where others may publish, it hears of everything once when it begins to listen.
  await expect.poll(everywhere.times, soon).toBe(inject('database') === 'postgres' ? 1 : 0)
  const before = everywhere.times()
  await publish(database, 'events')
  expect([here.times(), everywhere.times() - before]).toEqual([1, 1])
})
