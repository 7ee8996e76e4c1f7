import { describe, expect, inject, test } from 'vitest'
import { countWaiting } from '../harness/database.ts'
import { until } from '../harness/until.ts'
import { add, behindNetwork, objectsIn, sent } from './behind-network.ts'
import { hearing, publish, soon } from './speaker-and-listener.ts'

describe.runIf(inject('database') === 'postgres')('connections that lose all bytes', () => {
  test('keep no lock: the change that held it runs again', async () => {
    const { network, database } = await behindNetwork()
    let attempts = 0
    await database.write(async (tx) => {
      await add(tx, 'person')
      await sent(tx)
      if (++attempts === 1) network.silence()
      await sent(tx)
    })
    expect([attempts, await objectsIn(database)]).toEqual([2, ['person']])
  })

  test('are told apart from one whose statement waits', async () => {
    const { url, network, database, beside } = await behindNetwork()
    const held = Promise.withResolvers<void>()
    const holder = beside.write(async (tx) => {
      await add(tx, 'person')
      await sent(tx)
      await held.promise
    })
    let attempts = 0
    const waiter = database.write(async (tx) => {
      attempts++
      await tx.query(({ knex }) => knex.raw('lock table record_count in exclusive mode'))
    })
    await until(async () => (await countWaiting(url)) > 0)
    const before = network.opened()
    await until(() => network.opened() >= before + 3, { what: 'Postgres is asked about the statement' })
    held.resolve()
    await Promise.all([holder, waiter])
    expect(attempts).toBe(1)
  })

  test('of which one listens: it is opened again, and everything counts as told', async () => {
    const { network, database, beside } = await behindNetwork()
    const jobs = hearing(database, 'jobs', 'everywhere')
    await expect.poll(jobs.times, soon).toBe(1)
    jobs.forget()
    network.silence()
    await objectsIn(database)
    await expect.poll(jobs.times, soon).toBeGreaterThan(0)
    jobs.forget()
    await publish(beside, 'jobs')
    await expect.poll(jobs.times, soon).toBeGreaterThan(0)
  })
})
