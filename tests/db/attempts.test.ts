import { describe, expect, inject, test } from 'vitest'
import type { Tx } from '../../packages/server/src/db/tx.ts'
import { keepFeedEnds, takeFeedEnd } from '../../packages/server/src/modules/feeds/index.ts'
import { freshDatabase, freshPostgres } from './fresh.ts'

const workspaceId = '01900000-0000-7000-8000-000000000000'
const count = (object: string, total: number) => ({ workspace_id: workspaceId, object, total })
const add = (tx: Tx, object: string, total = 1): Promise<void> => tx.insert('record_count', [count(object, total)])
const taken = /record_count_pkey|UNIQUE constraint failed/

type Database = Awaited<ReturnType<typeof freshDatabase>>
const totals = async (database: Database): Promise<Record<string, number>> => {
  const rows = await database.reader.query<{ object: string; total: number }>(({ knex }) =>
    knex('record_count').select('object', 'total'),
  )
  return Object.fromEntries(rows.map(({ object, total }) => [object, total]))
}

/** The end of a feed with so many activities. */
const end = (top: number) => ({ top, at: 1, open: [] })

const refusal = new Error('refused')
const refused = async (): Promise<never> => Promise.reject(refusal)

test('what an attempt wrote goes when it throws, and the transaction goes on', async () => {
  const database = await freshDatabase()
  const value = await database.write(async (tx) => {
    await add(tx, 'before')
    const failed = tx.attempt(async (inner) => {
      await add(inner, 'tried')
      return refused()
    })
    await expect(failed).rejects.toBe(refusal)
    expect(await tx.query(({ knex }) => knex('record_count').select('object'))).toEqual([{ object: 'before' }])
    const kept = await tx.attempt(async (inner) => {
      await add(inner, 'kept')
      return 'kept'
    })
    await add(tx, 'after')
    return kept
  })
  expect(value).toBe('kept')
  expect(await totals(database)).toEqual({ before: 1, kept: 1, after: 1 })
})

test('a statement that fails in an attempt ends that alone, awaited or not, with others behind it or not', async () => {
  const database = await freshDatabase()
  await database.write(async (tx) => {
    await add(tx, 'people')
    await expect(tx.attempt((inner) => add(inner, 'people'))).rejects.toThrow(taken)
    await expect(tx.attempt(async (inner) => void add(inner, 'people'))).rejects.toThrow(taken)
    const together = tx.attempt(async (inner) => {
      const sent = [
        add(inner, 'deals'),
        add(inner, 'people'),
        add(inner, 'tasks'),
        inner.query(({ knex }) => knex('record_count')),
      ]
      for (const promise of sent.toReversed()) await promise
    })
    await expect(together).rejects.toThrow(taken)
    const caught = tx.attempt(async (inner) => {
      await add(inner, 'people').catch(() => undefined)
      return 'done'
    })
    await expect(caught).rejects.toThrow(taken)
    await add(tx, 'tasks')
  })
  expect(await totals(database)).toEqual({ people: 1, tasks: 1 })
})

test('an attempt that throws takes with it what it has read ahead, such as the end of a feed', async () => {
  const database = await freshDatabase()
  await database.write(async (tx) => {
    keepFeedEnds(tx, [{ id: 'a', feed_end: end(1) }])
    const failed = tx.attempt(async (inner) => {
      keepFeedEnds(inner, [{ id: 'a', feed_end: end(2) }])
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    expect(takeFeedEnd(tx, 'a')).toBeUndefined()
    await tx.attempt(async (inner) => keepFeedEnds(inner, [{ id: 'a', feed_end: end(3) }]))
    expect(takeFeedEnd(tx, 'a')).toEqual(end(3))
  })
})

test('an attempt that succeeded goes with its transaction', async () => {
  const database = await freshDatabase()
  const failed = database.write(async (tx) => {
    await tx.attempt((inner) => add(inner, 'people'))
    return refused()
  })
  await expect(failed).rejects.toBe(refusal)
  expect(await totals(database)).toEqual({})
})

test('attempts within attempts', async () => {
  const database = await freshDatabase()
  await database.write((tx) =>
    tx.attempt(async (outer) => {
      await add(outer, 'outer')
      await expect(outer.attempt((inner) => add(inner, 'inner').then(refused))).rejects.toBe(refusal)
      await outer.attempt((inner) => add(inner, 'second'))
    }),
  )
  await expect(
    database.write((tx) => tx.attempt((outer) => outer.attempt((inner) => add(inner, 'third')).then(refused))),
  ).rejects.toBe(refusal)
  expect(await totals(database)).toEqual({ outer: 1, second: 1 })
})

test('each handle has its time: the outer one waits for the attempt to end, the inner one ends with it', async () => {
  const database = await freshDatabase()
  await database.write(async (tx) => {
    const ended = Promise.withResolvers<void>()
    let late: Promise<void> | undefined
    let kept: Tx | undefined
    const attempt = tx.attempt(async (inner) => {
      kept = inner
      await expect(add(tx, 'outside')).rejects.toThrow('An attempt is under way')
      await expect(tx.attempt((other) => add(other, 'beside'))).rejects.toThrow('An attempt is under way')
      // Goes on after the attempt has ended, as what is left of a Promise.all does.
      late = ended.promise.then(() => add(inner, 'late'))
      return refused()
    })
    await expect(attempt).rejects.toBe(refusal)
    ended.resolve()
    await expect(late).rejects.toThrow('The transaction has ended')
    await expect(add(kept!, 'later')).rejects.toThrow('The transaction has ended')
    await add(tx, 'people')
  })
  expect(await totals(database)).toEqual({ people: 1 })
})

test('many attempts in one transaction', async () => {
  const database = await freshDatabase()
  const outcomes = await database.write(async (tx) => {
    const settled: boolean[] = []
    for (let number = 0; number < 200; number++) {
      settled.push(
        await tx
          .attempt((inner) => add(inner, `${number % 150}`))
          .then(
            () => true,
            () => false,
          ),
      )
    }
    return settled
  })
  expect(outcomes.filter(Boolean)).toHaveLength(150)
  expect(Object.keys(await totals(database))).toHaveLength(150)
})

describe.runIf(inject('database') === 'postgres')('on Postgres', () => {
  test('a connection that is cut in an attempt takes the transaction with it', async () => {
    const { database } = await freshPostgres()
    const cut = database.write(async (tx) => {
      await add(tx, 'people')
      await tx
        .attempt((inner) => inner.query(({ knex }) => knex.raw('select pg_terminate_backend(pg_backend_pid())')))
        .catch(() => undefined)
      return 'done'
    })
    await expect(cut).rejects.toMatchObject({ away: 'lost' })
    expect(await totals(database)).toEqual({})
  })

  test('two transactions that wait for each other in attempts both succeed: one runs again', async () => {
    const { database } = await freshPostgres()
    await database.write((tx) => tx.insert('record_count', [count('a', 0), count('b', 0)]))
    let holding = 0
    const bothHold = Promise.withResolvers<void>()
    const swap = (first: string, second: string, total: number) =>
      database.write((tx) =>
        tx.attempt(async (inner) => {
          await inner.updateByKey('record_count', ['workspace_id', 'object'], [count(first, total)])
          // A change is sent with the next query.
          await inner.query(({ knex }) => knex.raw('select 1'))
          if (++holding === 2) bothHold.resolve()
          await bothHold.promise
          await inner.updateByKey('record_count', ['workspace_id', 'object'], [count(second, total)])
        }),
      )
    await Promise.all([swap('a', 'b', 1), swap('b', 'a', 2)])
    expect(holding).toBe(3)
    const { a, b } = await totals(database)
    expect(a).toBe(b)
  })

  test('a failure before the attempt, which was not awaited, is what the transaction fails with', async () => {
    const { database } = await freshPostgres()
    await database.write((tx) => add(tx, 'people'))
    const failed = database.write(async (tx) => {
      void add(tx, 'people')
      await tx.attempt((inner) => add(inner, 'deals'))
    })
    await expect(failed).rejects.toThrow(taken)
    expect(await totals(database)).toEqual({ people: 1 })
  })
})
