import { once } from 'node:events'
import { describe, expect, inject, test } from 'vitest'
import { LeaseLost } from '../../packages/server/src/engine/types.ts'
import { freshDatabase } from '../db/fresh.ts'
import { until } from '../harness/until.ts'
import { add, bystander, jobsIn, numbered, startRunner, untilDone } from './engine.ts'

test('the lease of a run that waits for others is renewed without a sign of its own, as long as it lasts', async () => {
  const database = await freshDatabase()
  const mayEnd = Promise.withResolvers<void>()
  const kind = numbered(
    'waits',
    async () => {
      await mayEnd.promise
      return { state: 'done' }
    },
    { keepsLease: true },
  )
  await startRunner(database, { kinds: [kind] })
  await add(database, { kind })
  const seen = new Set<number>()
  await until(
    async () => {
      const [job] = await jobsIn(database)
      return job?.leased_at && seen.add(job.leased_at).size === 3
    },
    { what: 'two renewals' },
  )
  mayEnd.resolve()
  await untilDone(database)
})

test('a run whose job another has taken is told to stop', async () => {
  const database = await freshDatabase()
  let reason: unknown
  const kind = numbered(
    'robbed',
    async ({ signal }) => {
      await once(signal, 'abort')
      reason = signal.reason
      return { state: 'done' }
    },
    { keepsLease: true },
  )
  await startRunner(database, { kinds: [kind] })
  await add(database, { kind })
  await until(async () => (await jobsIn(database))[0]?.leased_by !== null, { what: 'the run' })
  const thief = crypto.randomUUID()
  await database.write((tx) => tx.change(({ knex }) => knex('job').update({ leased_by: thief, attempt: 2 })))
  await until(() => reason !== undefined, { what: 'the stop' })
  expect(reason).toBeInstanceOf(LeaseLost)
  expect(await jobsIn(database)).toMatchObject([{ leased_by: thief, attempt: 2, failures: 0 }])
})

describe.runIf(inject('database') === 'postgres')('on Postgres', () => {
  test('the leases of other runs are renewed while the job of one is locked, which keeps its job', async () => {
    const database = await freshDatabase()
    const mayEnd = Promise.withResolvers<void>()
    const signals: AbortSignal[] = []
    const kind = numbered(
      'waits',
      async ({ signal }) => {
        signals.push(signal)
        await mayEnd.promise
        return { state: 'done' }
      },
      { keepsLease: true },
    )
    await startRunner(database, { kinds: [kind] })
    await add(database, { kind })
    await add(database, { kind, payload: { number: 1 } })
    await until(() => signals.length === 2, { what: 'both runs' })
    const renewals = async (at: 0 | 1, count: number): Promise<void> => {
      const seen = new Set<unknown>()
      await until(async () => seen.add((await jobsIn(database))[at]?.leased_at).size > count, { what: 'renewals' })
    }
    await database.write(async (tx) => {
      await tx.query(({ knex, dialect }) => dialect.locked(knex('job').select('id').orderBy('id').limit(1), 'change'))
      await renewals(1, 2)
    })
    await renewals(0, 1)
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
    mayEnd.resolve()
    await untilDone(database)
    expect(signals).toHaveLength(2)
  })

  test('a run whose lease could not be renewed in time is put off, and has not failed', async () => {
    const database = await freshDatabase()
    const mayEnd = Promise.withResolvers<void>()
    const kind = numbered(
      'late',
      async () => {
        await mayEnd.promise
        return { state: 'done' }
      },
      // So short that it has expired before any change of the database can have renewed it.
      { keepsLease: true, leaseMs: 1 },
    )
    await startRunner(database, { kinds: [kind] })
    await add(database, { kind })
    await until(async () => typeof (await jobsIn(database))[0]?.last_error === 'string', { what: 'the end of the run' })
    expect(await jobsIn(database)).toMatchObject([
      { failures: 0, losses: 0, last_error: expect.stringMatching(/No heartbeat/) },
    ])
    mayEnd.resolve()
  })
})

test('on SQLite a run keeps its job however late its lease is renewed, since no other process runs jobs', async () => {
  const database = await freshDatabase()
  if (database.dialect.name !== 'sqlite') return
  const mayEnd = Promise.withResolvers<void>()
  const runs: AbortSignal[] = []
  const kind = numbered(
    'late',
    async ({ signal }) => {
      runs.push(signal)
      await mayEnd.promise
      return { state: 'done' }
    },
    // So short that it has expired before any change of the database can have renewed it.
    { keepsLease: true, leaseMs: 1 },
  )
  const others = bystander(database)
  await startRunner(database, { kinds: [kind, others.kind] })
  await add(database, { kind })
  await until(() => runs.length > 0, { what: 'the run' })
  for (let turns = 0; turns < 4; turns++) await others.passes()
  expect(runs.map(({ aborted }) => aborted)).toEqual([false])
  mayEnd.resolve()
  await untilDone(database)
  expect(runs).toHaveLength(1)
})
