import { describe, expect, inject, test } from 'vitest'
import { DatabaseUnavailable } from '../../packages/server/src/db/errors.ts'
import { param, statement } from '../../packages/server/src/db/statement.ts'
import { add, behindNetwork, objectsIn, sent, type Database } from './behind-network.ts'

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
})
