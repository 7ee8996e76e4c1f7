import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { migrate } from '../../packages/server/src/db/migrate.ts'
import { every, type CalledWork } from '../../packages/server/src/engine/recurring.ts'
import { systemWide } from '../../packages/server/src/engine/types.ts'
import { freshDatabase, freshUrl, open } from '../db/fresh.ts'
import { until } from '../harness/until.ts'
import { jobsIn, startRunner } from './engine.ts'

test('recurring work pauses between its runs, however many nodes start at once', async () => {
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
  await until(() => runs.length >= started + 6, { what: 'six more runs' })
  expect(await jobsIn(databases[0]!)).toHaveLength(1)
  expect(most).toBe(1)
  const pauses = runs.slice(-4).map((at, index, all) => (index === 0 ? 1000 : at - all[index - 1]!))
  expect(Math.min(...pauses)).toBeGreaterThan(140)
})

test('it comes early when a commit announces its topic, and not more often than it may', async () => {
  const database = await freshDatabase()
  let runs = 0
  const work: CalledWork = {
    name: 'called',
    everyMs: 60_000,
    on: 'counts',
    gapMs: 200,
    async run() {
      runs++
      return { state: 'done' }
    },
  }
  await startRunner(database, { recurring: [work] })
  await until(() => runs === 1, { what: 'the first run' })
  await sleep(250)
  await database.write(async (tx) => tx.publish('counts'))
  await until(() => runs === 2, { what: 'the run that was called for' })
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
