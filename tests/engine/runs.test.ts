import { expect, test } from 'vitest'
import { enqueue } from '../../packages/server/src/engine/store.ts'
import { freshDatabase } from '../db/fresh.ts'
import { until } from '../harness/until.ts'
import { add, bystander, heldClock, jobsIn, numbered, startRunner, testClock, untilDone, workspaceA } from './engine.ts'

test('a job runs once, with what it was given, and is gone', async () => {
  const database = await freshDatabase()
  const runs: unknown[] = []
  const kind = numbered('note', async ({ workspaceId, attempt }, { number }) => {
    runs.push([workspaceId, attempt, number])
    return { state: 'done' }
  })
  await startRunner(database, { kinds: [kind], pollMs: 60_000 })
  await add(database, { kind, payload: { number: 7 } })
  await untilDone(database)
  expect(runs).toEqual([[workspaceA, 1, 7]])
  expect(await jobsIn(database)).toEqual([])
})

test('a job of a change that is taken back is not there', async () => {
  const database = await freshDatabase()
  const kind = numbered('never', async () => ({ state: 'done' }))
  const refused = database.write(async (tx) => {
    await enqueue(tx, { workspaceId: workspaceA, kind, payload: { number: 1 }, now: testClock().now() })
    throw new Error('no')
  })
  await expect(refused).rejects.toThrow('no')
  expect(await jobsIn(database)).toEqual([])
})

test('a job that wants to go on does so where it says, and when', async () => {
  const database = await freshDatabase()
  const clock = heldClock()
  const from = clock.now()
  const runs: [number, number][] = []
  const kind = numbered('steps', async (_context, { number }) => {
    runs.push([number, clock.now() - from])
    return number < 3 ? { state: 'again', inMs: 100, payload: { number: number + 1 } } : { state: 'done' }
  })
  const { kind: other, passes } = bystander(database, clock)
  await startRunner(database, { kinds: [kind, other], clock })
  await add(database, { kind, now: clock.now() })
  for (let step = 1; step <= 3; step++) {
    await until(
      async () => (await jobsIn(database)).some((job) => job.run_at === from + step * 100 && job.leased_by === null),
      { what: `step ${step}` },
    )
    clock.jump(99)
    await passes()
    clock.jump(1)
  }
  await untilDone(database)
  expect(runs).toEqual([
    [0, 0],
    [1, 100],
    [2, 200],
    [3, 300],
  ])
})

test('a job for later waits', async () => {
  const database = await freshDatabase()
  const clock = heldClock()
  let runs = 0
  const kind = numbered('later', async () => ({ state: 'done', runs: runs++ }))
  const { kind: other, passes } = bystander(database, clock)
  await startRunner(database, { kinds: [kind, other], clock })
  await add(database, { kind, now: clock.now(), runAt: clock.now() + 400 })
  await passes()
  clock.jump(399)
  await passes()
  expect(runs).toBe(0)
  clock.jump(1)
  await untilDone(database)
  expect(runs).toBe(1)
})

test('a thousand jobs on two runners: each runs once', async () => {
  const database = await freshDatabase()
  const runs = new Map<number, number>()
  const kind = numbered('many', async (_context, { number }) => {
    runs.set(number, (runs.get(number) ?? 0) + 1)
    return { state: 'done' }
  })
  const now = testClock().now()
  await database.write((tx) =>
    Promise.all(
      Array.from({ length: 1000 }, (_, number) =>
        enqueue(tx, { workspaceId: workspaceA, kind, payload: { number }, now }),
      ),
    ),
  )
  await startRunner(database, { kinds: [kind] })
  await startRunner(database, { kinds: [kind] })
  await untilDone(database)
  expect(runs.size).toBe(1000)
  expect([...runs.values()].every((times) => times === 1)).toBe(true)
})
