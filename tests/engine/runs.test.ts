import { expect, test } from 'vitest'
import { enqueue } from '../../packages/server/src/engine/store.ts'
import { freshDatabase } from '../db/fresh.ts'
import { add, jobsIn, numbered, startRunner, untilDone, workspaceA } from './engine.ts'

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
    await enqueue(tx, { workspaceId: workspaceA, kind, payload: { number: 1 }, now: Date.now() })
    throw new Error('no')
  })
  await expect(refused).rejects.toThrow('no')
  expect(await jobsIn(database)).toEqual([])
})

test('a job that wants to go on does so where it says, and when', async () => {
  const database = await freshDatabase()
  const runs: [number, number][] = []
  const kind = numbered('steps', async (_context, { number }) => {
    runs.push([number, performance.now()])
    return number < 3 ? { state: 'again', inMs: 100, payload: { number: number + 1 } } : { state: 'done' }
  })
  await startRunner(database, { kinds: [kind] })
  await add(database, { kind })
  await untilDone(database)
  expect(runs.map(([number]) => number)).toEqual([0, 1, 2, 3])
  for (const [index, [, at]] of runs.slice(1).entries()) expect(at - runs[index]![1]).toBeGreaterThan(95)
})

test('a job for later waits', async () => {
  const database = await freshDatabase()
  let ranAt = 0
  const kind = numbered('later', async () => {
    ranAt = Date.now()
    return { state: 'done' }
  })
  await startRunner(database, { kinds: [kind] })
  const runAt = Date.now() + 400
  await add(database, { kind, runAt })
  await untilDone(database)
  expect(ranAt).toBeGreaterThanOrEqual(runAt)
  expect(ranAt).toBeLessThan(runAt + 5000)
})

test('a thousand jobs on two runners: each runs once', async () => {
  const database = await freshDatabase()
  const runs = new Map<number, number>()
  const kind = numbered('many', async (_context, { number }) => {
    runs.set(number, (runs.get(number) ?? 0) + 1)
    return { state: 'done' }
  })
  await database.write((tx) =>
    Promise.all(
      Array.from({ length: 1000 }, (_, number) =>
        enqueue(tx, { workspaceId: workspaceA, kind, payload: { number }, now: Date.now() }),
      ),
    ),
  )
  await startRunner(database, { kinds: [kind] })
  await startRunner(database, { kinds: [kind] })
  await untilDone(database)
  expect(runs.size).toBe(1000)
  expect([...runs.values()].every((times) => times === 1)).toBe(true)
})
