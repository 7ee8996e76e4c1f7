import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, inject, test } from 'vitest'
import { DatabaseOverloaded, SerialisationFailure, StatementTimeout } from '../../packages/server/src/db/errors.ts'
import type { PostgresDatabase } from '../../packages/server/src/db/postgres-database.ts'
import type { Tx } from '../../packages/server/src/db/tx.ts'
import { until } from '../harness/until.ts'
import { freshDatabase, freshPostgres, open } from './fresh.ts'

const workspaceId = '01900000-0000-7000-8000-000000000000'
const count = (object: string, total: number) => ({ workspace_id: workspaceId, object, total })
const add = (tx: Tx, object: string, total = 1): Promise<void> => tx.insert('record_count', [count(object, total)])
const setTotal = (tx: Tx, object: string, total: number): Promise<void> =>
  tx.updateByKey('record_count', ['workspace_id', 'object'], [count(object, total)])

/** Changes are sent with the next query, or with the commit. */
const sendChanges = (tx: Tx): Promise<unknown> => tx.query(({ knex }) => knex.raw('select 1'))

type Database = Awaited<ReturnType<typeof freshDatabase>>
const totals = async (database: Database): Promise<Record<string, number>> => {
  const rows = await database.reader.query<{ object: string; total: number }>(({ knex }) =>
    knex('record_count').select('object', 'total'),
  )
  return Object.fromEntries(rows.map(({ object, total }) => [object, total]))
}

/** The process of the one connection that the pool has. */
const backendOf = ({ pool }: PostgresDatabase): Promise<number> =>
  pool.query<{ id: number }>('select pg_backend_pid() as id').then(({ rows }) => rows[0]!.id)

/** The socket of the one connection that the pool has. */
const socketOf = ({ pool }: PostgresDatabase): Socket =>
  (pool as unknown as { readonly _clients: { readonly connection: { readonly stream: Socket } }[] })._clients[0]!
    .connection.stream

/** A database, and a second way to it whose statements have a second each. */
async function freshLimited() {
  const { database, url } = await freshPostgres()
  return { database, limited: open(url, { statementTimeoutMs: 1000 }) }
}

/** Unhandled rejections while `work` ran. */
async function unhandledDuring(work: () => Promise<unknown>): Promise<unknown[]> {
  const seen: unknown[] = []
  const listener = (reason: unknown) => seen.push(reason)
  process.on('unhandledRejection', listener)
  await work()
  // They are told at the end of a turn of the event loop.
  for (let turn = 0; turn < 3; turn++) await nextTurn()
  process.off('unhandledRejection', listener)
  return seen
}

test('a transaction reads its own changes, and others see them after the commit', async () => {
  const database = await freshDatabase()
  await database.write(async (tx) => {
    await add(tx, 'people')
    expect(await tx.query(({ knex }) => knex('record_count').select('total'))).toEqual([{ total: 1 }])
    expect(await totals(database)).toEqual({})
  })
  expect(await totals(database)).toEqual({ people: 1 })
})

test('work that throws leaves nothing, and its error comes back as it is', async () => {
  const database = await freshDatabase()
  const error = new Error('no')
  const failed = database.write(async (tx) => {
    await add(tx, 'people')
    throw error
  })
  await expect(failed).rejects.toBe(error)
  expect(await totals(database)).toEqual({})
})

test('a statement that fails unseen dooms the transaction and ends nothing else', async () => {
  const database = await freshDatabase()
  await database.write((tx) => add(tx, 'people'))
  const unhandled = await unhandledDuring(async () => {
    const forgotten = database.write(async (tx) => {
      void add(tx, 'companies')
      void add(tx, 'people')
      void add(tx, 'people')
    })
    await expect(forgotten).rejects.toThrow(/record_count_pkey|UNIQUE constraint failed/)
    const together = database.write(async (tx) => {
      const sent = [add(tx, 'people'), add(tx, 'deals'), tx.query(({ knex }) => knex('record_count'))]
      for (const promise of sent) await promise
    })
    await expect(together).rejects.toThrow(/record_count_pkey|UNIQUE constraint failed/)
    const caught = database.write(async (tx) => {
      await add(tx, 'people').catch(() => undefined)
      await add(tx, 'tasks').catch(() => undefined)
      return 'done'
    })
    await expect(caught).rejects.toThrow(/record_count_pkey|UNIQUE constraint failed/)
  })
  expect(unhandled).toEqual([])
  expect(await totals(database)).toEqual({ people: 1 })
})

test('so does one that never reaches the database', async () => {
  const database = await freshDatabase()
  const forgotten = database.write(async (tx) => {
    await add(tx, 'people')
    // @ts-expect-error: no table has such a column.
    void tx.insert('record_count', [{ nothing: 1 }])
  })
  await expect(forgotten).rejects.toThrow('No column record_count.nothing')
  expect(await totals(database)).toEqual({})
})

test('a statement after the end of its transaction is refused', async () => {
  const database = await freshDatabase()
  let kept: Tx | undefined
  await database.write(async (tx) => void (kept = tx))
  await expect(add(kept!, 'people')).rejects.toThrow('The transaction has ended')
  await expect(kept!.query(({ knex }) => knex('record_count'))).rejects.toThrow('The transaction has ended')
  expect(await totals(database)).toEqual({})
})

test('a lock by name is held until the transaction ends', async () => {
  const database = await freshDatabase()
  const elsewhere = await database.write(async (tx) => {
    expect(await tx.tryLock('fold')).toBe(true)
    // SQLite has one writer, which would wait for this transaction.
    return inject('database') === 'postgres'
      ? Promise.all(['fold', 'other'].map((name) => database.write((other) => other.tryLock(name))))
      : [false, true]
  })
  expect(elsewhere).toEqual([false, true])
  expect(await database.write((tx) => tx.tryLock('fold'))).toBe(true)
})

test('two hundred writers at once all get through', async () => {
  const database = await freshDatabase({ connectionsMax: 4 })
  await Promise.all(Array.from({ length: 200 }, (_, number) => database.write((tx) => add(tx, String(number), number))))
  expect(Object.keys(await totals(database))).toHaveLength(200)
})

describe.runIf(inject('database') === 'postgres')('on Postgres', () => {
  test('two transactions that wait for each other both succeed: one runs again', async () => {
    const { database } = await freshPostgres()
    await database.write((tx) => tx.insert('record_count', [count('a', 0), count('b', 0)]))
    let runs = 0
    let holding = 0
    const bothHold = Promise.withResolvers<void>()
    const swap = (first: string, second: string, total: number) =>
      database.write(async (tx) => {
        runs++
        await setTotal(tx, first, total)
        await sendChanges(tx)
        if (++holding === 2) bothHold.resolve()
        await bothHold.promise
        await setTotal(tx, second, total)
      })
    await Promise.all([swap('a', 'b', 1), swap('b', 'a', 2)])
    expect(runs).toBeGreaterThanOrEqual(3)
    const { a, b } = await totals(database)
    expect(a).toBe(b)
  })

  test('serialisation failures run the work again, also when the statement that met one was not awaited', async () => {
    const { database } = await freshPostgres()
    await database.write((tx) => add(tx, 'a', 0))
    const increment = (awaited: boolean) =>
      database.write(async (tx) => {
        await tx.change(({ knex }) => knex.raw('set transaction isolation level serializable'))
        const [row] = await tx.query<{ total: number }>(({ knex }) =>
          knex('record_count').select('total').where('object', 'a'),
        )
        const changed = setTotal(tx, 'a', row!.total + 1)
        if (awaited) await changed
        else await tx.query(({ knex }) => knex('record_count').select('total'))
      })
    await Promise.all([true, false, true, false].map(increment))
    expect(await totals(database)).toEqual({ a: 4 })
  })

  test('work may ask to run again, and not for ever', async () => {
    const { database } = await freshPostgres()
    let runs = 0
    await database.write(async (tx) => {
      await add(tx, 'people')
      if (++runs < 4) throw new SerialisationFailure('met')
    })
    expect(runs).toBe(4)
    expect(await totals(database)).toEqual({ people: 1 })
    const never = database.write(async () => Promise.reject(new SerialisationFailure('met again')))
    await expect(never).rejects.toMatchObject({ name: 'DatabaseOverloaded', cause: { message: 'met again' } })
  })

  test('a statement over the time limit is a StatementTimeout, read or write, and leaves nothing', async () => {
    const { database, limited } = await freshLimited()
    await expect(limited.reader.query(({ knex }) => knex.raw('select pg_sleep(60)'))).rejects.toThrow(StatementTimeout)
    const slow = limited.write(async (tx) => {
      await add(tx, 'people')
      await tx.query(({ knex }) => knex.raw('select pg_sleep(60)'))
    })
    await expect(slow).rejects.toThrow(StatementTimeout)
    expect(await totals(database)).toEqual({})
  })

  test('waiting too long for the lock of another is a StatementTimeout too', async () => {
    const { database, limited } = await freshLimited()
    await database.write((tx) => add(tx, 'people', 0))
    const holds = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    const holding = database.write(async (tx) => {
      await setTotal(tx, 'people', 1)
      await sendChanges(tx)
      holds.resolve()
      await mayEnd.promise
    })
    await Promise.race([holds.promise, holding])
    await expect(limited.write((tx) => setTotal(tx, 'people', 2))).rejects.toThrow(StatementTimeout)
    mayEnd.resolve()
    await holding
    expect(await totals(database)).toEqual({ people: 1 })
  })

  test('a connection that is cut in a transaction is not used again and takes nothing with it', async () => {
    const { database, url } = await freshPostgres({ connectionsMax: 1 })
    const before = await backendOf(database)
    const unhandled = await unhandledDuring(async () => {
      const cut = database.write(async (tx) => {
        await add(tx, 'people')
        await tx.query(({ knex }) => knex.raw('select pg_terminate_backend(pg_backend_pid())'))
      })
      await expect(cut, 'each time that it is tried').rejects.toMatchObject({ away: 'lost' })
      const cutWhileQuiet = database.write(async (tx) => {
        const [own] = await tx.query<{ id: number }>(({ knex }) => knex.raw('select pg_backend_pid() as id'))
        await add(tx, 'deals')
        await sendChanges(tx)
        await (open(url) as PostgresDatabase).pool.query('select pg_terminate_backend($1)', [own!.id])
        await until(() => socketOf(database).destroyed, { what: 'the end of the connection' })
        await add(tx, 'tasks')
      })
      await expect(cutWhileQuiet).rejects.toMatchObject({ away: 'lost' })
      expect(await backendOf(database)).not.toBe(before)
    })
    expect(unhandled).toEqual([])
    expect(await totals(database)).toEqual({})
    await database.write((tx) => add(tx, 'people'))
    expect(await totals(database)).toEqual({ people: 1 })
  })

  test(
    'a connection that breaks while its commit is under way leaves unknown whether the change was made, ' +
      'whatever the system says',
    async () => {
      const { database, url } = await freshPostgres({ connectionsMax: 1 })
      await database.pool.query(`create function held() returns trigger language plpgsql as
          'begin perform pg_advisory_xact_lock(1); return new; end';
        create constraint trigger held after insert on record_count deferrable initially deferred
          for each row execute function held()`)
      const other = (open(url) as PostgresDatabase).pool
      const holder = await other.connect()
      await holder.query('begin; select pg_advisory_xact_lock(1)')
      let runs = 0
      const changed = database.write(async (tx) => {
        runs++
        await add(tx, 'people')
      })
      const broken = expect(changed).rejects.toMatchObject({ away: 'unknown' })
      const committing = `select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query = 'commit'`
      await until(async () => (await other.query(committing)).rowCount === 1, { what: 'the commit under way' })
      socketOf(database).destroy(
        Object.assign(new Error('read EHOSTUNREACH'), { code: 'EHOSTUNREACH', syscall: 'read' }),
      )
      await broken
      expect(runs).toBe(1)
      await holder.query('commit')
      holder.release()
      await until(async () => (await totals(database))['people'] === 1, { what: 'what Postgres has made' })
    },
  )

  test('a connection that Postgres ends before the commit has changed nothing, and the work runs again', async () => {
    const { database, url } = await freshPostgres({ connectionsMax: 1 })
    await database.write((tx) => add(tx, 'people'))
    const other = (open(url) as PostgresDatabase).pool
    const holder = await other.connect()
    await holder.query('begin; update record_count set total = 5')
    let runs = 0
    const changed = database.write(async (tx) => {
      runs++
      // Sent together with the commit, it waits for the holder.
      await setTotal(tx, 'people', 2)
    })
    const end = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    await until(async () => (await other.query(end)).rowCount === 1, { what: 'the wait for the holder' })
    await holder.query('commit')
    holder.release()
    await changed
    expect(runs).toBe(2)
    expect(await totals(database)).toEqual({ people: 2 })
  })

  test('a read that a standby ends for its primary is sent again, and refused where that does not help', async () => {
    const { database } = await freshPostgres()
    await database.pool.query(`create sequence tries; create function crossed(times int) returns int language plpgsql as
      'begin
        if nextval(''tries'') % (times + 1) > 0
          then raise ''conflict with recovery'' using errcode = ''40001''; end if;
        return 1; end'`)
    const ask = (times: number) => database.reader.query(({ knex }) => knex.raw('select crossed(?) as answer', [times]))
    expect(await ask(2)).toEqual([{ answer: 1 }])
    await expect(ask(1000)).rejects.toThrow(DatabaseOverloaded)
  })

  test('a failed statement leaves the connection fit for the same statement', async () => {
    const { database } = await freshPostgres({ connectionsMax: 1 })
    for (let round = 0; round < 3; round++) {
      await expect(
        database.write((tx) => tx.insert('record_count', [count('a', 1), count('a', 2)])),
      ).rejects.toMatchObject({ code: '23505' })
      const pipelined = database.write((tx) =>
        Promise.all([add(tx, 'b'), add(tx, 'b'), add(tx, 'c'), setTotal(tx, 'c', 2)]),
      )
      await expect(pipelined).rejects.toMatchObject({ code: '23505' })
    }
    await database.write((tx) =>
      Promise.all([add(tx, 'b'), tx.insert('record_count', [count('c', 1), count('d', 1)]), setTotal(tx, 'c', 2)]),
    )
    expect(await totals(database)).toEqual({ b: 1, c: 2, d: 1 })
  })
})
