import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { DatabaseOverloaded } from '../../packages/server/src/db/errors.ts'
import type { SqliteDatabase } from '../../packages/server/src/db/sqlite-database.ts'
import type { Tx } from '../../packages/server/src/db/tx.ts'
import { connect, freshSqlite, key, workspaceId } from './fresh.ts'

const add = (tx: Tx, number: number): Promise<void> =>
  tx.insert('record_count_delta', [{ workspace_id: workspaceId, object: 'people', id: key(number), delta: number }])

const write = (database: SqliteDatabase, number: number): Promise<void> => database.write((tx) => add(tx, number))

/** The numbers that another connection sees, hence those that are committed. */
const seenBy = (connection: ReturnType<typeof connect>): number[] =>
  connection.all('select delta from record_count_delta order by id', []).map(({ delta }) => delta as number)

/** Holds the clock by which the writer ends a group, or its patience, for the test to turn. */
function holdClock(): void {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
}

const range = (length: number): number[] => Array.from({ length }, (_, number) => number)

describe.runIf(inject('database') === 'sqlite')('the writer of SQLite', () => {
  test('answers after the commit, and commits many requests at once', async () => {
    const { database, path } = await freshSqlite()
    const other = connect(path)
    const counts = new Set<number>()
    // A group is committed by its size alone.
    holdClock()
    await Promise.all(
      range(200).map(async (number) => {
        await write(database, number)
        const seen = seenBy(other)
        expect(seen).toContain(number)
        counts.add(seen.length)
      }),
    )
    expect(seenBy(other)).toHaveLength(200)
    expect([...counts]).toEqual([50, 100, 150, 200])
  })

  test('runs requests one after another in the order of their arrival, however long each takes', async () => {
    const { database, path } = await freshSqlite()
    const log: string[] = []
    await Promise.all(
      range(10).map((number) =>
        database.write(async (tx) => {
          log.push(`${number} begins`)
          for (let turns = number % 3; turns > 0; turns--) await nextTurn()
          await add(tx, number)
          log.push(`${number} ends`)
        }),
      ),
    )
    expect(log).toEqual(range(10).flatMap((number) => [`${number} begins`, `${number} ends`]))
    expect(seenBy(connect(path)).toSorted((a, b) => a - b)).toEqual(range(10))
  })

  test('another process may open the file during a write', async () => {
    const { path } = await freshSqlite()
    const writing = connect(path)
    writing.exec('begin immediate')
    const opened = connect(path)
    expect(opened.first('pragma auto_vacuum', [])).toEqual({ auto_vacuum: 2 })
    expect(opened.first('pragma page_size', [])).toEqual({ page_size: 8192 })
    writing.exec('rollback')
  })

  test('a request that fails loses only itself', async () => {
    const { database, path } = await freshSqlite()
    const results = await Promise.allSettled(
      range(60).map((number) =>
        database.write(async (tx) => {
          await add(tx, number)
          if (number % 3 === 0) throw new Error(`no ${number}`)
          if (number % 3 === 1) await add(tx, number)
        }),
      ),
    )
    results.forEach((result, number) => expect(result.status).toBe(number % 3 === 2 ? 'fulfilled' : 'rejected'))
    expect(results[0]).toMatchObject({ reason: { message: 'no 0' } })
    expect(results[1]).toMatchObject({ reason: { code: 'SQLITE_CONSTRAINT_PRIMARYKEY' } })
    expect(seenBy(connect(path)).toSorted((a, b) => a - b)).toEqual(range(60).filter((number) => number % 3 === 2))
  })

  test('a refusal that rests on what another request wrote is told once that is committed', async () => {
    const { database, path } = await freshSqlite()
    const other = connect(path)
    const first = write(database, 1)
    await expect(write(database, 1)).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_PRIMARYKEY' })
    expect(seenBy(other)).toEqual([1])
    await first
  })

  test('a failed request alone in its group leaves no transaction open', async () => {
    const { database, path } = await freshSqlite()
    await expect(database.write(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    const other = connect(path)
    other.exec('begin immediate')
    other.exec('rollback')
  })

  test('a statement that failed dooms its request even when it was caught or not awaited, as on Postgres', async () => {
    const { database, path } = await freshSqlite()
    await write(database, 1)
    const caught = database.write(async (tx) => {
      await add(tx, 2)
      await add(tx, 1).catch(() => undefined)
      await add(tx, 3).catch(() => undefined)
    })
    await expect(caught).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_PRIMARYKEY' })
    const forgotten = database.write(async (tx) => {
      void add(tx, 4)
      void add(tx, 1)
    })
    await expect(forgotten).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_PRIMARYKEY' })
    expect(seenBy(connect(path))).toEqual([1])
  })

  test('a statement after the end of its request reaches no other request', async () => {
    const { database, path } = await freshSqlite()
    let kept: Tx | undefined
    await database.write(async (tx) => {
      kept = tx
      await add(tx, 1)
    })
    await database.write(async (tx) => {
      await add(tx, 2)
      await expect(add(kept!, 3)).rejects.toThrow('The transaction has ended')
    })
    expect(seenBy(connect(path))).toEqual([1, 2])
  })

  test('a group whose commit fails is told so, and the next one works', async () => {
    const { database, path } = await freshSqlite()
    const { driver } = database.migrationConnection
    driver.exec(
      'create table parent (id integer primary key) strict; create table child (parent_id integer references ' +
        'parent (id) deferrable initially deferred) strict',
    )
    driver.pragma('foreign_keys = on')
    // All four in one group, however long they take.
    holdClock()
    const orphan = database.write((tx) => tx.change(({ knex }) => knex.raw('insert into child values (1)')))
    const refused = database.write(() => Promise.reject(new Error('no')))
    const results = await Promise.allSettled([write(database, 1), orphan, refused, write(database, 2)])
    for (const result of results)
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' } })
    await write(database, 3)
    expect(seenBy(connect(path))).toEqual([3])
  })

  test('an error that ends the whole transaction fails the group with it, and the next one works', async () => {
    const { database, path } = await freshSqlite()
    const { driver } = database.migrationConnection
    const full = (await database.reader.query<{ page_count: number }>(({ knex }) => knex.raw('pragma page_count')))[0]!
      .page_count
    driver.pragma(`max_page_count = ${full}`)
    const large = database.write((tx) =>
      tx.insert('signing_key', [{ kid: 'k'.repeat(1_000_000), private_jwk: {}, created_at: 0 }]),
    )
    const results = await Promise.allSettled([write(database, 1), large])
    expect(results[1]).toMatchObject({
      status: 'rejected',
      reason: { away: 'disk_full', cause: { code: 'SQLITE_FULL' } },
    })
    expect(seenBy(connect(path)), 'what was answered is what is there').toEqual(
      results[0]?.status === 'fulfilled' ? [1] : [],
    )
    driver.pragma('max_page_count = 1000000')
    await write(database, 2)
    expect(seenBy(connect(path))).toContain(2)
  })
})

describe.runIf(inject('database') === 'sqlite')('while another process holds the write lock', () => {
  test('writes wait, the event loop goes on, and nothing is lost', async () => {
    const { database, path } = await freshSqlite()
    const other = connect(path)
    other.exec('begin immediate')
    const writes = Promise.all(range(30).map((number) => write(database, number)))
    for (let turns = 0; turns < 30; turns++) await nextTurn()
    expect(seenBy(other)).toEqual([])
    other.exec('commit')
    await writes
    expect(seenBy(other)).toEqual(range(30))
  })

  test('after five seconds all who waited so long are told that the database is overloaded', async () => {
    const { database, path } = await freshSqlite()
    const other = connect(path)
    holdClock()
    other.exec('begin immediate')
    const early = Promise.allSettled(range(20).map((number) => write(database, number)))
    vi.advanceTimersByTime(2000)
    const late = Promise.allSettled([write(database, 100)])
    vi.advanceTimersByTime(3001)
    for (const result of await early)
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(DatabaseOverloaded) })
    other.exec('commit')
    expect(await late).toMatchObject([{ status: 'fulfilled' }])
    expect(seenBy(other)).toEqual([100])
  })
})
