import { EventEmitter, once } from 'node:events'
import { expect, test } from 'vitest'
import { Runner } from '../../packages/server/src/engine/runner.ts'
import { LeaseLost, type JobKind } from '../../packages/server/src/engine/types.ts'
import type { Database } from '../../packages/server/src/db/tx.ts'
import { freshDatabase } from '../db/fresh.ts'
import { errorLog } from '../harness/log.ts'
import { until } from '../harness/until.ts'
import {
  add,
  bystander,
  jobsIn,
  numbered,
  startRunner,
  testClock,
  untilDone,
  workspaceA,
  type Numbered,
} from './engine.ts'

const hour = 3_600_000
const plentyMs = 60_000

/** A runner with one job under way, and what it has warned of. */
async function startedWith(database: Database, kind: JobKind<Numbered>) {
  const warnings: unknown[] = []
  const runner = new Runner({
    database,
    clock: testClock(),
    logger: {
      ...errorLog().logger,
      warn: ({ err }: { readonly err?: unknown }) => void warnings.push(err),
    } as ReturnType<typeof errorLog>['logger'],
    kinds: [kind],
    recurring: [],
    pollMs: 50,
  })
  await add(database, { kind })
  await runner.start()
  await until(async () => (await jobsIn(database)).some(({ leased_by }) => leased_by !== null), { what: 'the run' })
  return { runner, warnings }
}

test('a stop lets the runs come to their end, and stores it', async () => {
  const database = await freshDatabase()
  const heard = Promise.withResolvers<void>()
  const mayEnd = Promise.withResolvers<void>()
  const kind = numbered('ends', async ({ signal }) => {
    await once(signal, 'abort')
    heard.resolve()
    await mayEnd.promise
    return { state: 'done' }
  })
  const { runner } = await startedWith(database, kind)
  await add(database, { kind, runAt: testClock().now() + hour })
  let hasStopped = false
  const stopped = runner.stop(plentyMs).then(() => (hasStopped = true))
  await heard.promise
  expect(await jobsIn(database)).toHaveLength(2)
  expect(hasStopped).toBe(false)
  mayEnd.resolve()
  await stopped
  expect(await jobsIn(database)).toMatchObject([{ attempt: 0 }])
})

test('a stop lets calls to others go on for a while, and then ends them', async () => {
  const database = await freshDatabase()
  const states: boolean[][] = []
  const kind = numbered('calls', async ({ signal, callSignal }) => {
    if (!signal.aborted) await once(signal, 'abort')
    states.push([signal.aborted, callSignal.aborted])
    if (!callSignal.aborted) await once(callSignal, 'abort')
    return { state: 'done' }
  })
  const { runner } = await startedWith(database, kind)
  await runner.stop(plentyMs, 10)
  expect(states).toEqual([[true, false]])
  expect(await jobsIn(database)).toEqual([])
})

test('a run that throws because of the stop is no failure, and others have its job at once', async () => {
  const database = await freshDatabase()
  const kind = numbered('cut', async ({ signal, attempt }) => {
    if (attempt === 1) await once(new EventEmitter(), 'what never comes', { signal })
    return { state: 'done' }
  })
  const { runner } = await startedWith(database, kind)
  await runner.stop(plentyMs)
  expect(await jobsIn(database)).toMatchObject([{ attempt: 1, failures: 0, leased_by: null, last_error: null }])
  await startRunner(database, { kinds: [kind] })
  await untilDone(database)
})

test('a run that does not listen is given back when the time is up', async () => {
  const database = await freshDatabase()
  const end = Promise.withResolvers<void>()
  const kind = numbered('deaf', async ({ attempt }) => {
    if (attempt === 1) await end.promise
    return attempt === 1 ? { state: 'again', inMs: hour } : { state: 'done' }
  })
  const { runner, warnings } = await startedWith(database, kind)
  await runner.stop(300)
  expect(await jobsIn(database)).toMatchObject([{ failures: 0, leased_by: null }])
  await startRunner(database, { kinds: [kind] })
  await untilDone(database)
  expect(warnings).toEqual([])
  end.resolve()
  await until(() => warnings.length > 0, { what: 'the refusal of what the first run stores' })
  expect(warnings).toEqual([expect.any(LeaseLost)])
  expect(await jobsIn(database)).toEqual([])
})

test('work that runs early and does not listen is waited for no longer than jobs are', async () => {
  const database = await freshDatabase()
  const end = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  let heard = false
  const run = async ({ signal }: { readonly signal: AbortSignal }) => {
    signal.addEventListener('abort', () => (heard = true))
    begun.resolve()
    await end.promise
    return { state: 'done' as const }
  }
  const work = { name: 'rare', everyMs: hour, on: 'counts', gapMs: 0, run } as const
  const runner = await startRunner(database, { recurring: [work] })
  await database.write(async (tx) => tx.publish('counts'))
  await begun.promise
  await runner.stop(300)
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
  const { kind: other, passes } = bystander(database)
  await startRunner(database, { kinds: [other] })
  for (let round = 0; round < 3; round++) await passes()
  expect(runs).toBe(0)
  await until(async () => (await jobsIn(database)).length === 1, { what: 'the end of what the other took' })
  expect(await jobsIn(database)).toMatchObject([
    { kind: 'late', workspace_id: workspaceA, attempt: 0, leased_by: null },
  ])
})
