import { expect, test } from 'vitest'
import { z } from 'zod'
import { failedJobUpkeep, jobFacts } from '../../packages/server/src/engine/overview/store.ts'
import { freshDatabase } from '../db/fresh.ts'
import { isFull } from '../harness/size.ts'
import { add, jobsIn, numbered, startRunner, until, untilDone, workspaceA, workspaceB } from './engine.ts'

test('a job that throws is tried again, each time later, and succeeds when it can', { timeout: 30_000 }, async () => {
  const database = await freshDatabase()
  const runs: number[] = []
  const kind = numbered('thrice', async ({ attempt }) => {
    runs.push(performance.now())
    if (attempt < 3) throw new Error('not yet')
    return { state: 'done' }
  })
  const runner = await startRunner(database, { kinds: [kind] })
  await add(database, { kind })
  await untilDone(database)
  expect(await jobsIn(database)).toEqual([])
  expect(runner.counts).toEqual({ runs: new Map([['thrice', 3]]), failures: new Map([['thrice', 2]]) })
  const [first, second, third] = runs as [number, number, number]
  // A second and two, each half more or less.
  expect(second - first).toBeGreaterThan(490)
  expect(third - second).toBeGreaterThan(990)
})

test.runIf(isFull())(
  'a poisonous job fails for good after its attempts, is kept with its error, and has blocked no other job',
  { timeout: 30_000 },
  async () => {
    const database = await freshDatabase()
    let poisoned = 0
    let others = 0
    const poison = numbered('poison', () => Promise.reject(new TypeError(`no way ${++poisoned}`)), { maxAttempts: 4 })
    const other = numbered('other', async () => {
      others++
      return { state: 'done' }
    })
    for (let number = 0; number < 20; number++) await add(database, { kind: poison, payload: { number } })
    for (let number = 0; number < 20; number++)
      await add(database, { kind: other, workspaceId: number % 2 ? workspaceA : workspaceB })
    await startRunner(database, { kinds: [poison, other], slots: 4 })
    await until(() => others === 20, 'the others')
    // The poisonous ones take three seconds and a half at least.
    expect(poisoned).toBeLessThan(80)
    await untilDone(database)
    const left = await jobsIn(database)
    expect(left).toHaveLength(20)
    for (const job of left)
      expect(job).toMatchObject({
        kind: 'poison',
        attempt: 4,
        failures: 4,
        leased_by: null,
        last_error: expect.stringMatching(/^TypeError: no way \d+$/),
        ended_at: expect.any(Number),
      })
    expect(poisoned).toBe(80)
  },
)

test('a job that has failed is kept for thirty days', async () => {
  const database = await freshDatabase()
  const kind = numbered('fails', () => Promise.reject(new Error('no')), { maxAttempts: 1 })
  await startRunner(database, { kinds: [kind] })
  await add(database, { kind })
  await add(database, { kind, runAt: Date.now() + 60_000 })
  await until(async () => (await jobsIn(database)).some(({ ended_at }) => ended_at !== null), 'the failure')
  expect(await jobFacts(database, Date.now())).toEqual({ waiting: 0, scheduled: 1, running: 0, failed: 1, lagMs: 0 })
  const inDays = (days: number) =>
    database.write((tx) => failedJobUpkeep.batch(tx, workspaceA, Date.now() + days * 24 * 3_600_000))
  await inDays(29.9)
  expect(await jobsIn(database)).toHaveLength(2)
  await inDays(30.1)
  expect(await jobsIn(database)).toMatchObject([{ ended_at: null }])
})

test('a job whose payload is not what its kind expects fails, and is not run', async () => {
  const database = await freshDatabase()
  let runs = 0
  const kind = numbered('strict', async () => ({ state: 'done', runs: runs++ }), { maxAttempts: 1 })
  await startRunner(database, { kinds: [kind] })
  await add(database, { kind: { ...kind, payload: z.unknown() as never }, payload: { number: 'seven' } as never })
  await untilDone(database)
  expect(await jobsIn(database)).toMatchObject([{ failures: 1, last_error: expect.stringMatching(/expected number/) }])
  expect(runs).toBe(0)
})

test('what does not fit its kind is not enqueued', async () => {
  const database = await freshDatabase()
  const kind = numbered('strict', async () => ({ state: 'done' }))
  await expect(add(database, { kind, payload: { number: 1.5 } })).rejects.toThrow(/int/)
  expect(await jobsIn(database)).toEqual([])
})

test('jobs of a kind that a node does not know are left to those that do', async () => {
  const database = await freshDatabase()
  const [old, fresh] = ['old', 'fresh'].map((name) => numbered(name, async () => ({ state: 'done' })))
  await startRunner(database, { kinds: [old!] })
  await add(database, { kind: fresh! })
  await add(database, { kind: old! })
  await until(async () => (await jobsIn(database)).length === 1, 'the old one done')
  expect(await jobsIn(database)).toMatchObject([{ kind: 'fresh', attempt: 0, leased_by: null }])
  await startRunner(database, { kinds: [old!, fresh!] })
  await untilDone(database)
})
