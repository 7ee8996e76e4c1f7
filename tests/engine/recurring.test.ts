import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { migrate } from '../../packages/server/src/db/migrate.ts'
import { every } from '../../packages/server/src/engine/recurring.ts'
import { systemWide } from '../../packages/server/src/engine/types.ts'
import { freshDatabase, freshUrl, open } from '../db/fresh.ts'
import { jobsIn, startRunner, until } from './engine.ts'

test('recurring work has one job, and runs in turn, however many nodes start at once', async () => {
  const url = await freshUrl()
  const databases = Array.from({ length: 4 }, () => open(url, { connectionsMax: 3 }))
  await migrate(databases[0]!)
  const runs: number[] = []
  let atOnce = 0
  let most = 0
  const work = every(150, {
    name: 'tick',
    async run({ workspaceId }) {
      expect(workspaceId).toBe(systemWide)
      most = Math.max(most, ++atOnce)
      runs.push(performance.now())
      await sleep(20)
      atOnce--
      return { state: 'done' }
    },
  })
  await Promise.all(databases.map((database) => startRunner(database, { recurring: [work] })))
  // Each node that starts lets it run at once; from then on it is every 150 ms.
  const started = runs.length
  await until(() => runs.length >= started + 6, 'six more runs')
  expect(await jobsIn(databases[0]!)).toHaveLength(1)
  expect(most).toBe(1)
  const pauses = runs.slice(-4).map((at, index, all) => (index === 0 ? 1000 : at - all[index - 1]!))
  expect(Math.min(...pauses)).toBeGreaterThan(140)
})

test('it goes on after any number of failures', { timeout: 30_000 }, async () => {
  const database = await freshDatabase()
  let runs = 0
  const work = every(10, {
    name: 'shaky',
    maxAttempts: 1,
    async run() {
      if (++runs < 3) throw new Error('not yet')
      return { state: 'done' }
    },
  })
  await startRunner(database, { recurring: [work] })
  await until(() => runs > 6, 'runs after the failures')
  const [job] = await jobsIn(database)
  expect(job).toMatchObject({ failures: 0, last_error: null, ended_at: null })
})

test('it comes early when a commit announces its topic, and not more often than it may', async () => {
  const database = await freshDatabase()
  let runs = 0
  const work = every(
    60_000,
    { name: 'called', run: async () => ({ state: 'done', runs: runs++ }) },
    { on: 'counts', gapMs: 200 },
  )
  await startRunner(database, { recurring: [work] })
  await until(() => runs === 1, 'the first run')
  await sleep(250)
  await database.write(async (tx) => tx.publish('counts'))
  await until(() => runs === 2, 'the run that was called for')
  await database
    .write(async (tx) => {
      tx.publish('counts')
      throw new Error('no')
    })
    .catch(() => undefined)
  await sleep(300)
  expect(runs).toBe(2)
  const from = performance.now()
  for (let number = 0; number < 50; number++) {
    await database.write(async (tx) => tx.publish('counts'))
    await sleep(10)
  }
  await sleep(250)
  expect(runs).toBeGreaterThanOrEqual(4)
  expect(runs - 2).toBeLessThanOrEqual((performance.now() - from) / 200 + 1)
})
