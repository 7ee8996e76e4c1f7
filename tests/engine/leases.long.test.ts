import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { migrate } from '../../packages/server/src/db/migrate.ts'
import type { Database } from '../../packages/server/src/db/tx.ts'
import { LeaseLost } from '../../packages/server/src/engine/types.ts'
import { freshDatabase, freshUrl, open } from '../db/fresh.ts'
import { until } from '../harness/until.ts'
import { add, jobsIn, numbered, startRunner, untilDone, workspaceA } from './engine.ts'
import { leaveTrace, steps, stepsMax } from './programs/steps.ts'

const node = fileURLToPath(new URL('programs/node.ts', import.meta.url))

/** Another process with a runner. */
async function startNode(url: string) {
  const child = spawn(process.execPath, [node, url], { stdio: ['ignore', 'pipe', 'inherit'] })
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  onTestFinished(kill)
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error('the node ended'))),
  ])
  return { kill, pause: () => child.kill('SIGSTOP'), resume: () => child.kill('SIGCONT') }
}

const traces = async (database: Database): Promise<number[]> =>
  (
    await database.reader.query<{ delta: number }>(({ knex }) =>
      knex('record_count_delta').select('delta').orderBy('delta'),
    )
  ).map(({ delta }) => delta)

const allSteps = Array.from({ length: stepsMax + 1 }, (_, number) => number)

test('a process that is killed in a job leaves it to another, and every step has been done exactly once', async () => {
  const url = await freshUrl()
  const database = open(url)
  await migrate(database)
  await add(database, { kind: steps })
  for (const reached of [5, 20, 40]) {
    const child = await startNode(url)
    await until(async () => (await traces(database)).length >= reached, { what: `${reached} steps` })
    await sleep(Math.random() * 12)
    await child.kill()
  }
  const [left] = await jobsIn(database)
  expect(left).toBeDefined()
  await startRunner(database, { kinds: [steps] })
  await untilDone(database)
  expect(await traces(database)).toEqual(allSteps)
  expect(await jobsIn(database)).toEqual([])
})

test('a process that stands still for longer than its lease changes nothing when it goes on', async () => {
  const url = await freshUrl()
  const database = open(url)
  await migrate(database)
  await add(database, { kind: steps })
  const child = await startNode(url)
  await until(async () => (await traces(database)).length >= 5, { what: 'some steps' })
  // Not while it holds a lock of the database: a job that waits for that lock would wait for it.
  do {
    child.resume()
    await sleep(7)
    child.pause()
  } while (!(await isFree(database)))
  const before = (await traces(database)).length
  const more = Math.min(before + 10, allSteps.length)
  const reached = until(async () => (await traces(database)).length >= more, { what: 'steps of the other' })
  await startRunner(database, { kinds: [steps] })
  await reached
  child.resume()
  await untilDone(database)
  expect(await traces(database)).toEqual(allSteps)
})

/** Returns whether a run is under way, and others can write to its job. */
async function isFree(database: Database): Promise<boolean> {
  if (!(await jobsIn(database)).some(({ leased_by }) => leased_by !== null)) return false
  const written = database.write((tx) =>
    tx.updateByKey('job', ['workspace_id', 'kind'], [{ workspace_id: workspaceA, kind: steps.name, wanted_at: null }]),
  )
  return Promise.race([written.then(() => true), sleep(200).then(() => false)])
}

test('a run that gives no sign is told to stop, and what it does later does not count', async () => {
  const database = await freshDatabase()
  const told: unknown[] = []
  const errors: unknown[] = []
  const mayGoOn = Promise.withResolvers<void>()
  const kind = numbered(
    'silent',
    async ({ attempt, signal, workspaceId, heartbeat, conclude }) => {
      if (attempt === 1) {
        signal.addEventListener('abort', () => told.push((signal.reason as Error).message))
        await mayGoOn.promise
        await heartbeat().catch((error: unknown) => errors.push(error))
      }
      return conclude(async (tx) => {
        await leaveTrace(tx, workspaceId, attempt)
        return { state: 'done' as const }
      }).catch((error: unknown) => {
        errors.push(error)
        throw error
      })
    },
    { leaseMs: 1200 },
  )
  await startRunner(database, { kinds: [kind] })
  await add(database, { kind })
  await untilDone(database)
  mayGoOn.resolve()
  await until(() => errors.length === 2, { what: 'the refusals' })
  expect(told).toEqual(['No heartbeat for 1200 ms'])
  expect(errors).toEqual([expect.any(LeaseLost), expect.any(LeaseLost)])
  expect(await traces(database)).toEqual([2])
})

test('a run that gives signs keeps its job for as long as it takes', async () => {
  const url = await freshUrl()
  const databases = [open(url), open(url)]
  await migrate(databases[0]!)
  let runs = 0
  const kind = numbered(
    'patient',
    async ({ heartbeat, signal }) => {
      runs++
      for (let sign = 0; sign < 30; sign++) {
        await sleep(100)
        await heartbeat()
      }
      signal.throwIfAborted()
      return { state: 'done' }
    },
    { leaseMs: 1500 },
  )
  for (const database of databases) await startRunner(database, { kinds: [kind] })
  await add(databases[0]!, { kind })
  await untilDone(databases[0]!)
  expect(runs).toBe(1)
})

test('what a run stores when it concludes is there exactly if its outcome is', async () => {
  const database = await freshDatabase()
  const kind = numbered('both', async ({ attempt, workspaceId, conclude }) =>
    conclude(async (tx) => {
      await leaveTrace(tx, workspaceId, attempt)
      if (attempt === 1) throw new Error('no')
      return { state: 'done' as const }
    }),
  )
  await startRunner(database, { kinds: [kind] })
  await add(database, { kind })
  await untilDone(database)
  expect(await traces(database)).toEqual([2])
})

test('a hundred jobs on four runners are never run by two at once', async () => {
  const url = await freshUrl()
  const databases = Array.from({ length: 4 }, () => open(url))
  await migrate(databases[0]!)
  const running = new Set<number>()
  let met = 0
  const kind = numbered('alone', async (_context, { number }) => {
    if (running.has(number)) met++
    running.add(number)
    await sleep(Math.random() * 20)
    running.delete(number)
    return number < 500 ? { state: 'again', inMs: 0, payload: { number: number + 100 } } : { state: 'done' }
  })
  for (let number = 0; number < 100; number++) await add(databases[0]!, { kind, payload: { number } })
  for (const database of databases) await startRunner(database, { kinds: [kind] })
  await untilDone(databases[0]!)
  expect(met).toBe(0)
})
