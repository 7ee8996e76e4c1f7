import { describe, expect, test } from 'vitest'
import { DatabaseUnavailable } from '../../packages/server/src/db/errors.ts'
import type { Database, Tx } from '../../packages/server/src/db/tx.ts'
import { enqueueNew } from '../../packages/server/src/engine/store.ts'
import type { AbandonedJob, JobKind } from '../../packages/server/src/engine/types.ts'
import { freshDatabase } from '../db/fresh.ts'
import { until } from '../harness/until.ts'
import { add, jobsIn, numbered, startRunner, testClock, workspaceA, workspaceB, type Numbered } from './engine.ts'
import { leaveTrace } from './programs/steps.ts'

const traces = async (database: Database): Promise<number[]> =>
  (await database.reader.query<{ delta: number }>(({ knex }) => knex('record_count_delta').select('delta'))).map(
    ({ delta }) => delta,
  )

const fails = () => Promise.reject(new TypeError('no way'))

/** Leaves a trace of the number that a job carries. */
const trace = (tx: Tx, { workspaceId, payload: { number } }: AbandonedJob<Numbered>): Promise<void> =>
  leaveTrace(tx, workspaceId, number)

/** As a process leaves jobs that dies in their last attempt, or in an earlier one. */
const leaveLeased = (database: Database, failures: number, losses = 0): Promise<number> =>
  database.write((tx) =>
    tx.change(({ knex }) =>
      knex('job').update({ leased_by: crypto.randomUUID(), leased_at: 1, attempt: failures + 1, failures, losses }),
    ),
  )

test('a job that has failed for good leaves behind what its kind says, with its end', async () => {
  const database = await freshDatabase()
  const told: unknown[] = []
  const kind = numbered('mortal', fails, {
    maxAttempts: 1,
    async onFailed(tx, failed) {
      told.push(failed)
      // In the transaction of the end: it is not there yet.
      expect(await jobsIn(database)).toMatchObject([{ ended_at: null }])
      await trace(tx, failed)
    },
  })
  await startRunner(database, { kinds: [kind] })
  await add(database, { kind, payload: { number: 7 } })
  await until(async () => (await jobsIn(database))[0]?.ended_at !== null, { what: 'the end' })
  expect(await traces(database)).toEqual([7])
  expect(told).toEqual([
    { workspaceId: workspaceA, payload: { number: 7 }, error: 'TypeError: no way', now: expect.any(Number) },
  ])
})

test('one that may be tried again leaves nothing', async () => {
  const database = await freshDatabase()
  const kind = numbered('tough', fails, { maxAttempts: 2, onFailed: trace })
  const runner = await startRunner(database, { kinds: [kind] })
  await add(database, { kind })
  await until(async () => (await jobsIn(database))[0]?.failures === 1, { what: 'the first failure' })
  await runner.stop(1000)
  expect(await traces(database)).toEqual([])
})

test('one that is wanted again during its last attempt has not failed', async () => {
  const database = await freshDatabase()
  const mayEnd = Promise.withResolvers<void>()
  let runs = 0
  const kind: JobKind<Numbered> = numbered(
    'wanted',
    async () => {
      if (++runs > 1) return { state: 'done' }
      await mayEnd.promise
      throw new Error('no')
    },
    { maxAttempts: 1, onFailed: trace },
  )
  await startRunner(database, { kinds: [kind] })
  await add(database, { kind, key: 'a' })
  await until(() => runs === 1, { what: 'the run' })
  await add(database, { kind, key: 'a' })
  mayEnd.resolve()
  await until(async () => (await jobsIn(database)).length === 0, { what: 'the second run' })
  expect(await traces(database)).toEqual([])
})

test('one whose kind cannot tell of its end does not end, and is tried again later', async () => {
  const database = await freshDatabase()
  const clock = testClock()
  let isBroken = true
  const kind = numbered('speechless', fails, {
    maxAttempts: 1,
    async onFailed(tx, failed) {
      await trace(tx, failed)
      if (isBroken) throw new Error('broken')
    },
  })
  await startRunner(database, { kinds: [kind], clock })
  await add(database, { kind })
  await until(async () => (await jobsIn(database))[0]?.failures === 1, { what: 'the first failure' })
  expect(await jobsIn(database)).toMatchObject([{ ended_at: null, leased_by: null }])
  expect(await traces(database)).toEqual([])
  isBroken = false
  clock.jump(3_600_000)
  await until(async () => (await jobsIn(database))[0]?.ended_at !== null, { what: 'the end' })
  expect(await jobsIn(database)).toMatchObject([{ attempt: 2, failures: 2 }])
  expect(await traces(database)).toEqual([0])
})

/** Lets time pass until something holds. */
const passing = (clock: ReturnType<typeof testClock>, holds: () => Promise<boolean>, what: string) =>
  until(
    async () => {
      clock.pass(1000)
      return holds()
    },
    { what },
  )

describe('where a process has died', () => {
  test('a job that was lost as often as it may has failed for good too', async () => {
    const database = await freshDatabase()
    const clock = testClock()
    let runs = 0
    const kind = numbered('lost', async () => ({ state: 'done', runs: runs++ }), { maxAttempts: 3, onFailed: trace })
    await add(database, { kind, payload: { number: 9 } })
    await leaveLeased(database, 2, 1)
    await startRunner(database, { kinds: [kind], clock })
    await passing(clock, async () => (await jobsIn(database))[0]?.ended_at !== null, 'the end')
    expect(await jobsIn(database)).toMatchObject([
      { failures: 3, leased_by: null, last_error: 'The process ended, or was silent for 30000 ms' },
    ])
    expect(await traces(database)).toEqual([9])
    expect(runs).toBe(0)
  })

  test('a job that cannot end, since the node of its workspace is lost, keeps no other from ending', async () => {
    const database = await freshDatabase()
    const clock = testClock()
    let isLost = true
    const kind = numbered('placed', async () => ({ state: 'done' }), {
      maxAttempts: 1,
      async onFailed(tx, failed) {
        if (isLost && failed.workspaceId === workspaceA) throw new DatabaseUnavailable('node_lost')
        await trace(tx, failed)
      },
    })
    await add(database, { kind, payload: { number: 1 } })
    await add(database, { kind, payload: { number: 2 }, workspaceId: workspaceB })
    await leaveLeased(database, 0, 1)
    await startRunner(database, { kinds: [kind], clock })
    await passing(clock, async () => (await traces(database)).length === 1, 'the end of the other')
    expect(await traces(database)).toEqual([2])
    isLost = false
    await passing(clock, async () => (await traces(database)).length === 2, 'the end that waited')
  })

  test('a job that was lost at other work than before goes on at once, and has not failed', async () => {
    const database = await freshDatabase()
    const clock = testClock()
    const mayEnd = Promise.withResolvers<void>()
    const kind = numbered('often', async () => {
      await mayEnd.promise
      return { state: 'again', inMs: 3_600_000 }
    })
    await add(database, { kind })
    await leaveLeased(database, 0)
    await startRunner(database, { kinds: [kind], clock })
    await passing(clock, async () => (await jobsIn(database))[0]?.attempt === 2, 'the second run')
    expect(await jobsIn(database)).toMatchObject([{ failures: 0, losses: 1 }])
    mayEnd.resolve()
    await until(async () => (await jobsIn(database))[0]?.leased_by === null, { what: 'the outcome' })
    expect(await jobsIn(database)).toMatchObject([{ failures: 0, losses: 0, ended_at: null }])
  })

  test('a job that braces itself fails once a process is lost with work that it began again', async () => {
    const database = await freshDatabase()
    const clock = testClock()
    const told: unknown[] = []
    const seen: number[] = []
    const kind = numbered(
      'braced',
      async ({ brace, progress }) => {
        const losses = async () => seen.push((await jobsIn(database))[0]?.losses ?? NaN)
        await brace()
        await losses()
        await database.write((tx) => progress(tx))
        await brace()
        await losses()
        return { state: 'again', inMs: 3_600_000, isPutOff: true }
      },
      { braces: true, maxAttempts: 1, onFailed: async (_, { isLost }) => void told.push(isLost) },
    )
    await add(database, { kind })
    await leaveLeased(database, 0, 1)
    await startRunner(database, { kinds: [kind], clock })
    await passing(clock, async () => seen.length === 2, 'the run')
    expect(seen).toEqual([2, 0])
    await until(async () => (await jobsIn(database))[0]?.leased_by === null, { what: 'the outcome' })
    expect(await jobsIn(database)).toMatchObject([{ failures: 0, losses: 0, ended_at: null }])
    await leaveLeased(database, 0, 2)
    await passing(clock, async () => (await jobsIn(database))[0]?.ended_at !== null, 'the end')
    expect(told).toEqual([true])
  })

  test('its jobs are taken back together, and go on at once', async () => {
    const database = await freshDatabase()
    const clock = testClock()
    const runs = new Map<number, number>()
    const kind = numbered('left', async (_, { number }) => {
      runs.set(number, (runs.get(number) ?? 0) + 1)
      return { state: 'done' }
    })
    const numbers = Array.from({ length: 150 }, (_, number) => number)
    await database.write((tx) =>
      enqueueNew(
        tx,
        numbers.map((number) => ({
          workspaceId: number % 2 ? workspaceA : workspaceB,
          kind,
          payload: { number },
          now: clock.now(),
        })),
      ),
    )
    await leaveLeased(database, 0)
    let transactions = 0
    const counting: Database = new Proxy(database, {
      get: (target, name) => {
        if (name === 'write') transactions++
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? (value.bind(target) as unknown) : value
      },
    })
    const waiting = { count: Infinity }
    const slow: JobKind<Numbered> = {
      ...kind,
      run: (...run) => ((waiting.count = Math.min(waiting.count, transactions)), kind.run(...run)),
    }
    await startRunner(counting, { kinds: [slow], clock, slots: 1 })
    await passing(clock, async () => waiting.count < Infinity, 'the first run')
    // Those in which it is noted how long their leases have stood, one in which they are taken back, one for a claim.
    expect(waiting.count).toBeLessThan(numbers.length / 2)
    await until(() => runs.size === numbers.length, { what: 'all runs' })
    expect([...runs.values()].every((times) => times === 1)).toBe(true)
  })

  test('a job whose lease is renewed is not taken', async () => {
    const database = await freshDatabase()
    const clock = testClock()
    const kind = numbered('alive', async () => ({ state: 'done' }))
    await add(database, { kind, payload: { number: 0 } })
    await add(database, { kind, payload: { number: 1 } })
    await leaveLeased(database, 0)
    const [alive] = await database.reader.query<{ id: string }>(({ knex }) => knex('job').select('id').orderBy('id'))
    let beat = 1
    await startRunner(database, { kinds: [kind], clock })
    await passing(
      clock,
      async () => {
        await database.write((tx) => tx.change(({ knex }) => knex('job').where(alive!).update({ leased_at: ++beat })))
        return (await jobsIn(database)).length === 1
      },
      'the other taken and done',
    )
    expect(await jobsIn(database)).toMatchObject([{ attempt: 1, leased_by: expect.any(String), failures: 0 }])
  })
})
