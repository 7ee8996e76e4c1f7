import { expect, inject, test } from 'vitest'
import { enqueue, enqueueKeyed } from '../../packages/server/src/engine/store.ts'
import { freshDatabase } from '../db/fresh.ts'
import { until } from '../harness/until.ts'
import {
  add,
  bystander,
  heldClock,
  jobsIn,
  numbered,
  startRunner,
  testClock,
  untilDone,
  workspaceA,
  workspaceB,
  type JobRow,
} from './engine.ts'

const hour = 3_600_000

const isHeldBack = ({ failures, leased_by }: JobRow): boolean => failures > 0 && leased_by === null

test('one that waits is not joined by another, and may come earlier by it', async () => {
  const database = await freshDatabase()
  const kind = numbered('once', async () => ({ state: 'done' }))
  const now = testClock().now()
  await add(database, { kind, key: 'a', runAt: now + hour, payload: { number: 1 } })
  await add(database, { kind, key: 'a', runAt: now + 2 * hour, payload: { number: 2 } })
  expect(await jobsIn(database)).toMatchObject([{ run_at: now + hour, payload: { number: 1 } }])
  await add(database, { kind, key: 'a', runAt: now + 5, payload: { number: 3 } })
  expect(await jobsIn(database)).toMatchObject([{ run_at: now + 5, payload: { number: 1 } }])
  await add(database, { kind, key: 'b' })
  await add(database, { kind, key: 'a', workspaceId: workspaceB })
  await add(database, { kind: { ...kind, name: 'other' }, key: 'a' })
  await add(database, { kind })
  await add(database, { kind })
  expect(await jobsIn(database)).toHaveLength(6)
})

test('many that are enqueued at once are added, come earlier, run again, or stay held back', async () => {
  const database = await freshDatabase()
  const clock = heldClock()
  const mayEnd = Promise.withResolvers<void>()
  const runs: number[] = []
  const kind = numbered('several', async (_, { number: of }) => {
    runs.push(of)
    if (of === 2) throw new Error('no')
    if (of === 1) await mayEnd.promise
    return { state: 'done' }
  })
  await startRunner(database, { kinds: [kind], clock })
  const now = clock.now()
  await add(database, { kind, now, key: 'runs', payload: { number: 1 } })
  await add(database, { kind, now, key: 'failed', payload: { number: 2 } })
  await add(database, { kind, now, key: 'waits', payload: { number: 3 }, runAt: now + hour })
  const before = await until(async () => (await jobsIn(database)).find(isHeldBack), { what: 'a failure' })
  await until(() => runs.includes(1), { what: 'the run' })
  const payloads = new Map(['runs', 'failed', 'waits', 'new'].map((key) => [key, { number: 4 }]))
  await database.write((tx) => enqueueKeyed(tx, { workspaceId: workspaceA, kind, now }, payloads))
  mayEnd.resolve()
  await until(async () => (await jobsIn(database)).length === 1, { what: 'all but the one that failed' })
  expect(runs.toSorted((a, b) => a - b)).toEqual([1, 1, 2, 3, 4])
  expect(await jobsIn(database)).toEqual([before])
})

test('enqueued while it runs, it runs again afterwards, once', async () => {
  const database = await freshDatabase()
  let runs = 0
  let atOnce = 0
  const mayEnd = Promise.withResolvers<void>()
  const kind = numbered('again', async () => {
    expect(++atOnce).toBe(1)
    if (++runs === 1) await mayEnd.promise
    atOnce--
    return { state: 'done' }
  })
  const { kind: other, passes } = bystander(database)
  await startRunner(database, { kinds: [kind, other] })
  await add(database, { kind, key: 'a' })
  await until(() => runs === 1, { what: 'the first run' })
  for (let number = 0; number < 3; number++) await add(database, { kind, key: 'a' })
  await passes()
  expect(runs).toBe(1)
  mayEnd.resolve()
  await untilDone(database)
  expect(runs).toBe(2)
  expect(await jobsIn(database)).toEqual([])
})

test('a job that is to wait for long is brought forward when it is enqueued again meanwhile', async () => {
  const database = await freshDatabase()
  let runs = 0
  const mayEnd = Promise.withResolvers<void>()
  const kind = numbered('poll', async () => {
    if (++runs === 1) await mayEnd.promise
    return runs < 3 ? { state: 'again', inMs: hour } : { state: 'done' }
  })
  await startRunner(database, { kinds: [kind] })
  await add(database, { kind, key: 'a' })
  await until(() => runs === 1, { what: 'the first run' })
  await add(database, { kind, key: 'a' })
  mayEnd.resolve()
  await until(() => runs === 2, { what: 'the second run' })
  await until(async () => (await jobsIn(database)).every(({ leased_by }) => leased_by === null), { what: 'its end' })
  await add(database, { kind, key: 'a' })
  await untilDone(database)
  expect(runs).toBe(3)
})

test('one that is held back after a failure stays held back', async () => {
  const database = await freshDatabase()
  const kind = numbered('fails', () => Promise.reject(new Error('no')))
  const runner = await startRunner(database, { kinds: [kind] })
  await add(database, { kind, key: 'a' })
  await until(async () => (await jobsIn(database)).some(isHeldBack), { what: 'a failure' })
  await runner.stop(1000)
  const heldBack = await jobsIn(database)
  await add(database, { kind, key: 'a' })
  expect(await jobsIn(database)).toEqual(heldBack)
})

test('asked for again during the run that was its last attempt, it has a new life', async () => {
  const database = await freshDatabase()
  const mayEnd = Promise.withResolvers<void>()
  let runs = 0
  const kind = numbered(
    'reborn',
    async () => {
      if (++runs > 1) return { state: 'done' }
      await mayEnd.promise
      throw new Error('no')
    },
    { maxAttempts: 1 },
  )
  await startRunner(database, { kinds: [kind] })
  await add(database, { kind, key: 'a' })
  await until(() => runs === 1, { what: 'the first run' })
  await add(database, { kind, key: 'a' })
  mayEnd.resolve()
  await untilDone(database)
  expect([runs, await jobsIn(database)]).toEqual([2, []])
})

test('a change that enqueues a waiting job is seen by its run, however long the change takes to commit', async () => {
  const database = await freshDatabase()
  const seen: number[] = []
  const count = () => database.reader.query(({ knex }) => knex('record_count').where('workspace_id', workspaceA))
  const kind = numbered('look', async () => {
    seen.push((await count()).length)
    return { state: 'done' }
  })
  const clock = heldClock()
  const { kind: other, passes } = bystander(database, clock)
  await startRunner(database, { kinds: [kind, other], clock })
  await add(database, { kind, key: 'a', now: clock.now(), runAt: clock.now() + hour })
  await database.write(async (tx) => {
    await enqueue(tx, { workspaceId: workspaceA, kind, payload: { number: 0 }, now: clock.now(), key: 'a' })
    await tx.query(({ knex }) => knex('job').select('id'))
    clock.jump(hour)
    // SQLite has one writer: nothing is claimed before this has ended.
    if (inject('database') === 'postgres') await passes()
    expect(seen).toEqual([])
    await tx.insert('record_count', [{ workspace_id: workspaceA, object: 'person', total: 1 }])
  })
  await untilDone(database)
  expect(seen).toEqual([1])
})

test('enqueued by many at once while it runs and ends, it never runs beside itself and sees all of them', async () => {
  const database = await freshDatabase()
  let atOnce = 0
  let seen = 0
  const total = async () =>
    (await database.reader.query<{ total: number }>(({ knex }) => knex('record_count').count('* as total')))[0]
      ?.total ?? 0
  const kind = numbered('many', async () => {
    expect(++atOnce).toBe(1)
    seen = await total()
    await jobsIn(database)
    atOnce--
    return { state: 'done' }
  })
  for (let runner = 0; runner < 3; runner++) await startRunner(database, { kinds: [kind] })
  const enqueuer = async (first: number) => {
    for (let number = first; number < 300; number += 6) {
      await database.write(async (tx) => {
        await tx.insert('record_count', [{ workspace_id: workspaceA, object: `object ${number}`, total: 1 }])
        await enqueue(tx, { workspaceId: workspaceA, kind, payload: { number }, now: testClock().now(), key: 'a' })
      })
    }
  }
  await Promise.all(Array.from({ length: 6 }, (_, first) => enqueuer(first)))
  await untilDone(database)
  expect(await jobsIn(database)).toEqual([])
  expect(seen).toBe(300)
})
