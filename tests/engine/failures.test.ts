import { expect, test } from 'vitest'
import { z } from 'zod'
import { failedJobUpkeep, jobFacts } from '../../packages/server/src/engine/overview/store.ts'
import { freshDatabase } from '../db/fresh.ts'
import { until } from '../harness/until.ts'
import {
  add,
  bystander,
  heldClock,
  jobsIn,
  numbered,
  startRunner,
  untilDone,
  workspaceA,
  workspaceB,
} from './engine.ts'

const hour = 3_600_000

test('a job that throws is tried again, each time later, and succeeds when it can', async () => {
  const database = await freshDatabase()
  const clock = heldClock()
  let runs = 0
  const kind = numbered('thrice', async ({ attempt }) => {
    runs++
    if (attempt < 3) throw new Error('not yet')
    return { state: 'done' }
  })
  const { kind: other, passes } = bystander(database, clock)
  const runner = await startRunner(database, { kinds: [kind, other], clock })
  await add(database, { kind, now: clock.now() })
  for (const attempt of [1, 2]) {
    const job = await until(
      async () =>
        (await jobsIn(database)).find(
          ({ kind: name, failures, leased_by }) => name === 'thrice' && failures === attempt && leased_by === null,
        ),
      { what: `failure ${attempt}` },
    )
    // A second and two, each half more or less.
    const waitMs = job.run_at - clock.now()
    expect(waitMs).toBeGreaterThanOrEqual(500 * attempt)
    expect(waitMs).toBeLessThanOrEqual(1500 * attempt)
    clock.jump(waitMs - 1)
    await passes()
    expect(runs).toBe(attempt)
    clock.jump(1)
  }
  await untilDone(database)
  expect(await jobsIn(database)).toEqual([])
  expect(runner.counts.runs.get('thrice')).toBe(3)
  expect(runner.counts.failures).toEqual(new Map([['thrice', 2]]))
})

test('a poisonous job fails for good after its attempts, is kept with its error, and blocks no other', async () => {
  const database = await freshDatabase()
  const clock = heldClock()
  const now = clock.now()
  let poisoned = 0
  let others = 0
  const poison = numbered('poison', () => Promise.reject(new TypeError(`no way ${++poisoned}`)), { maxAttempts: 4 })
  const other = numbered('other', async () => {
    others++
    return { state: 'done' }
  })
  for (let number = 0; number < 20; number++) await add(database, { kind: poison, now, payload: { number } })
  for (let number = 0; number < 20; number++)
    await add(database, { kind: other, now, workspaceId: number % 2 ? workspaceA : workspaceB })
  await startRunner(database, { kinds: [poison, other], slots: 4, clock })
  await until(() => others === 20, { what: 'the others' })
  // Time stands still: each has had its first turn at most.
  expect(poisoned).toBeLessThanOrEqual(20)
  await until(
    async () => {
      clock.jump(hour)
      return (await jobsIn(database)).every(({ ended_at }) => ended_at !== null)
    },
    { what: 'every job done' },
  )
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
})

test('a job that has failed is kept for thirty days', async () => {
  const database = await freshDatabase()
  const kind = numbered('fails', () => Promise.reject(new Error('no')), { maxAttempts: 1 })
  const clock = heldClock()
  const now = clock.now()
  await startRunner(database, { kinds: [kind], clock })
  await add(database, { kind, now })
  await add(database, { kind, now, runAt: now + hour })
  await until(async () => (await jobsIn(database)).some(({ ended_at }) => ended_at !== null), { what: 'the failure' })
  expect(await jobFacts(database, now)).toEqual({ waiting: 0, scheduled: 1, running: 0, failed: 1, lagMs: 0 })
  const inDays = (days: number) => database.write((tx) => failedJobUpkeep.batch(tx, workspaceA, now + days * 24 * hour))
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
  await until(async () => (await jobsIn(database)).length === 1, { what: 'the old one done' })
  expect(await jobsIn(database)).toMatchObject([{ kind: 'fresh', attempt: 0, leased_by: null }])
  await startRunner(database, { kinds: [old!, fresh!] })
  await untilDone(database)
})
