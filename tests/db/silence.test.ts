import { describe, expect, inject, test } from 'vitest'
import { DatabaseUnavailable } from '../../packages/server/src/db/errors.ts'
import { param, statement } from '../../packages/server/src/db/statement.ts'
import type { Tx } from '../../packages/server/src/db/tx.ts'
import { countWaiting } from '../harness/database.ts'
import { until } from '../harness/until.ts'
import { databaseProxy } from '../server/chaos/database-proxy.ts'
import { migratedUrl, open, workspaceId } from './fresh.ts'
import { hearing, publish, soon } from './speaker-and-listener.ts'

/** Statements may take longer than a test, so that none ends by their limit. */
const statementTimeoutMs = 600_000

const add = (tx: Tx, object: string): Promise<void> =>
  tx.insert('record_count', [{ workspace_id: workspaceId, object, total: 1 }])

/** Waits for the changes of a transaction so far. */
const sent = (tx: Tx): Promise<unknown> => tx.query(({ knex }) => knex.raw('select 1'))

/** A database behind a network that can fail, and the same one without it. */
async function behindNetwork() {
  const url = await migratedUrl()
  const network = await databaseProxy(url)
  return { url, network, database: open(network.url, { statementTimeoutMs }), beside: open(url) }
}

type Database = Awaited<ReturnType<typeof behindNetwork>>['database']

const objectsIn = async ({ reader }: Database): Promise<string[]> =>
  (await reader.query<{ object: string }>(({ knex }) => knex('record_count').select('object').orderBy('object'))).map(
    ({ object }) => object,
  )

const totalOf = statement<{ object: string }, { total: number }>(({ knex }) =>
  knex('record_count').where('object', param('object')).select('total'),
)

/** Reads one row, by a statement that shares its connection with others. */
const count = ({ reader }: Database, object: string): Promise<unknown> => reader.first(totalOf, { object })

describe.runIf(inject('database') === 'postgres')('connections that lose all bytes', () => {
  test('are dropped, and reads and changes run again on others', async () => {
    const { network, database } = await behindNetwork()
    const work = (object: string) => [
      ...[1, 2, 3].map(() => count(database, object)),
      ...[1, 2, 3].map(() => objectsIn(database)),
      ...[1, 2, 3].map((at) => database.write((tx) => add(tx, `${object} ${at}`))),
    ]
    await Promise.all(work('before'))
    network.silence()
    await Promise.all(work('after'))
    expect(await objectsIn(database)).toEqual(
      ['before', 'after'].toSorted().flatMap((o) => [1, 2, 3].map((at) => `${o} ${at}`)),
    )
  })

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

  test('leave the outcome of a commit unknown, and it does not run again', async () => {
    const { network, database } = await behindNetwork()
    let attempts = 0
    const change = database.write(async (tx) => {
      await add(tx, 'person')
      await sent(tx)
      attempts++
      network.silence()
    })
    const error = await change.catch((failed: unknown) => failed)
    expect(error).toBeInstanceOf(DatabaseUnavailable)
    expect([attempts, (error as DatabaseUnavailable).away, await objectsIn(database)]).toEqual([1, 'unknown', []])
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
