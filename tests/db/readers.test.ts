import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { DatabaseCrowded, DatabaseOverloaded, StatementTimeout } from '../../packages/server/src/db/errors.ts'
import { ReaderPool } from '../../packages/server/src/db/readers/pool.ts'
import { param, statement } from '../../packages/server/src/db/statement.ts'
import { freshDatabase, freshSqlite, freshUrl } from './fresh.ts'
import { counting, endless, heavily } from './heavy-queries.ts'
import { run } from './programs/run.ts'

const workspaceId = '01900000-0000-7000-8000-000000000000'

async function freshPool(options: { readersMax: number; timeoutMs: number }): Promise<ReaderPool> {
  const { path } = await freshSqlite()
  const pool = new ReaderPool({ path, ...options })
  onTestFinished(() => pool.close())
  return pool
}

test('a heavy read gives the same rows as a light one, decoded', async () => {
  const database = await freshDatabase()
  const actor = { text: `"quoted" \\ ä 👩‍👩‍👧`, list: [1, null, true] }
  const row = {
    workspace_id: workspaceId,
    id: workspaceId,
    sequence: 1,
    type: 'a',
    object: null,
    record_id: null,
    actor,
    silent: true,
    payload: {},
    created_at: 1,
  }
  await database.write((tx) => tx.insert('event', [row]))
  const byType = statement<{ type: string }, typeof row>(({ knex }) => knex('event').where('type', param('type')))
  expect(await database.reader.all(byType, { type: 'a' }, { heavy: true })).toEqual([row])
  expect(await database.reader.all(byType, { type: 'a' })).toEqual([row])
})

test('a read over the time limit is a StatementTimeout, and the next reads work', async () => {
  const database = await freshDatabase({ statementTimeoutMs: 1000 })
  await expect(heavily(database, endless)).rejects.toThrow(StatementTimeout)
  expect(await heavily(database, counting(10))).toEqual([{ top: 10 }])
})

test('a wrong statement fails alone', async () => {
  const database = await freshDatabase()
  await expect(heavily(database, 'select missing from nowhere')).rejects.toThrow('nowhere')
  expect(await heavily(database, counting(10))).toEqual([{ top: 10 }])
})

describe.runIf(inject('database') === 'sqlite')('the readers of SQLite', () => {
  test('are waited for when the database is closed, also where they have just answered', async () => {
    expect(await run('close-amid-answers', await freshUrl())).toBe('4')
  })

  test('stall no request while they work', async () => {
    const { database } = await freshSqlite({ statementTimeoutMs: 3_600_000 })
    await heavily(database, counting(1))
    let hasEnded = false
    const working = heavily(database, endless).finally(() => (hasEnded = true))
    const ended = expect(working).rejects.toThrow('The database is closed')
    for (let total = 1; total <= 20; total++) {
      await database.write((tx) =>
        tx.insert('record_count', [{ workspace_id: workspaceId, object: String(total), total }]),
      )
      expect(await database.reader.query(({ knex }) => knex('record_count').select('total'))).toHaveLength(total)
    }
    expect(hasEnded).toBe(false)
    await database.close()
    await ended
  })

  test('take reads in turn, so that one at the time limit fails no other', async () => {
    const pool = await freshPool({ readersMax: 1, timeoutMs: 1000 })
    const results = await Promise.allSettled([
      pool.read({ text: endless, values: [] }),
      ...Array.from({ length: 5 }, (_, number) => pool.read({ text: counting(number + 1), values: [] })),
    ])
    expect(results[0]).toMatchObject({ status: 'rejected', reason: expect.any(StatementTimeout) })
    // Those behind it waited as long as it ran: whether they were taken or told to come back is a matter of
    // milliseconds.
    for (const [index, result] of results.slice(1).entries()) {
      if (result.status === 'fulfilled') expect(result.value).toEqual([{ top: index + 1 }])
      else expect(result.reason).toBeInstanceOf(DatabaseOverloaded)
    }
    expect(await pool.read({ text: counting(7), values: [] })).toEqual([{ top: 7 }])
  })

  test('answer many at once from few processes, and refuse those of one workspace beyond its share', async () => {
    const pool = await freshPool({ readersMax: 2, timeoutMs: 60_000 })
    const ask = (party: string, count: number) =>
      Promise.allSettled(
        Array.from({ length: count }, (_, number) => pool.read({ text: counting(number + 1), values: [], party })),
      )
    const [many, few] = await Promise.all([ask('flooding', 300), ask('small', 5)])
    const topsOf = (results: typeof many) =>
      results.flatMap((result) => (result.status === 'fulfilled' ? [(result.value[0] as { top: number }).top] : []))
    // One has its turn, since the other is left to others; a quarter of a thousand wait.
    expect(topsOf(many)).toEqual(Array.from({ length: 251 }, (_, number) => number + 1))
    for (const result of many.slice(251))
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(DatabaseCrowded) })
    expect(topsOf(few)).toEqual([1, 2, 3, 4, 5])
    expect(await pool.read({ text: counting(7), values: [] })).toEqual([{ top: 7 }])
  })

  test('see what was committed before they were asked, and cannot write', async () => {
    const { database } = await freshSqlite()
    for (let total = 1; total <= 20; total++) {
      await database.write((tx) =>
        tx.insert('record_count', [{ workspace_id: workspaceId, object: String(total), total }]),
      )
      expect(await heavily(database, 'select count(*) as top from record_count')).toEqual([{ top: total }])
    }
    await expect(heavily(database, 'delete from record_count returning total')).rejects.toMatchObject({
      away: 'read_only',
      cause: { code: 'SQLITE_READONLY' },
    })
  })

  test('end with the database, at once, in the middle of a query', async () => {
    // Longer than this test may take: nothing ends but by the close.
    const pool = await freshPool({ readersMax: 1, timeoutMs: 3_600_000 })
    await pool.read({ text: counting(1), values: [] })
    const running = expect(pool.read({ text: endless, values: [] })).rejects.toThrow('The database is closed')
    const waiting = expect(pool.read({ text: counting(1), values: [] })).rejects.toThrow('The database is closed')
    await pool.close()
    await Promise.all([running, waiting])
    await expect(pool.read({ text: counting(1), values: [] })).rejects.toThrow('The database is closed')
  })

  test('that cannot open the file, or die, fail their read and not the server', async () => {
    const pool = new ReaderPool({ path: '/nowhere/kontor.db', readersMax: 1, timeoutMs: 5000 })
    onTestFinished(() => pool.close())
    await expect(pool.read({ text: 'select 1', values: [] })).rejects.toThrow('Cannot open database')
  })
})
