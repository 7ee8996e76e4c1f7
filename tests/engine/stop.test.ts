import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { every } from '../../packages/server/src/engine/recurring.ts'
import { Runner } from '../../packages/server/src/engine/runner.ts'
import type { JobKind } from '../../packages/server/src/engine/types.ts'
import type { Database } from '../../packages/server/src/db/tx.ts'
import { freshDatabase } from '../db/fresh.ts'
import { errorLog } from '../harness/log.ts'
import { add, jobsIn, numbered, startRunner, testClock, until, untilDone, type Numbered } from './engine.ts'

/** A runner with one job under way. */
async function startedWith(database: Database, kind: JobKind<Numbered>): Promise<Runner> {
  const runner = new Runner({
    database,
    clock: testClock(),
    logger: errorLog().logger,
    kinds: [kind],
    recurring: [],
    pollMs: 50,
  })
  await add(database, { kind })
  await runner.start()
  await until(async () => (await jobsIn(database)).some(({ leased_by }) => leased_by !== null), 'the run')
  return runner
}

test('a stop lets the runs come to their end, and stores it', async () => {
  const database = await freshDatabase()
  let heard = false
  const kind = numbered('ends', async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    heard = true
    await sleep(100)
    return { state: 'done' }
  })
  const runner = await startedWith(database, kind)
  await add(database, { kind, runAt: Date.now() + 60_000 })
  await runner.stop(5000)
  expect(heard).toBe(true)
  expect(await jobsIn(database)).toMatchObject([{ attempt: 0 }])
})

test('a run that throws because of the stop is no failure, and others have its job at once', async () => {
  const database = await freshDatabase()
  const kind = numbered('cut', async ({ signal, attempt }) => {
    if (attempt > 1) return { state: 'done' }
    await sleep(10_000, undefined, { signal })
    return { state: 'done' }
  })
  const runner = await startedWith(database, kind)
  await runner.stop(5000)
  expect(await jobsIn(database)).toMatchObject([{ attempt: 1, failures: 0, leased_by: null, last_error: null }])
  await startRunner(database, { kinds: [kind] })
  await untilDone(database)
})

test('a run that does not listen is given back when the time is up', async () => {
  const database = await freshDatabase()
  const end = Promise.withResolvers<void>()
  const kind = numbered('deaf', async ({ attempt }) => {
    if (attempt === 1) await end.promise
    return attempt === 1 ? { state: 'again', inMs: 60_000 } : { state: 'done' }
  })
  const runner = await startedWith(database, kind)
  const from = performance.now()
  await runner.stop(300)
  expect(performance.now() - from).toBeLessThan(10_000)
  expect(await jobsIn(database)).toMatchObject([{ failures: 0, leased_by: null }])
  await startRunner(database, { kinds: [kind] })
  await untilDone(database)
  end.resolve()
  await sleep(50)
  expect(await jobsIn(database)).toEqual([])
})

test('work that runs early and does not listen is waited for no longer than jobs are', async () => {
  const database = await freshDatabase()
  const end = Promise.withResolvers<void>()
  let heard = false
  const run = async ({ signal }: { readonly signal: AbortSignal }) => {
    signal.addEventListener('abort', () => (heard = true))
    await end.promise
    return { state: 'done' as const }
  }
  const work = every(60_000, { name: 'rare', run: async () => ({ state: 'done' }) }, { on: 'counts', gapMs: 0, run })
  const runner = await startRunner(database, { recurring: [work] })
  await database.write(async (tx) => tx.publish('counts'))
  await sleep(100)
  const from = performance.now()
  await runner.stop(300)
  expect(performance.now() - from).toBeLessThan(5000)
  expect(heard).toBe(true)
  end.resolve()
})

test('a runner that has stopped takes nothing more', async () => {
  const database = await freshDatabase()
  let runs = 0
  const kind = numbered('late', async () => ({ state: 'done', runs: runs++ }))
  const runner = await startRunner(database, { kinds: [kind] })
  await runner.stop(1000)
  await add(database, { kind })
  await sleep(150)
  expect(runs).toBe(0)
})
