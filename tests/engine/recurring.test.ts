import { expect, test } from 'vitest'
import { every, type CalledWork } from '../../packages/server/src/engine/recurring.ts'
import { systemWide } from '../../packages/server/src/engine/types.ts'
import { freshDatabase, migratedUrl, open } from '../db/fresh.ts'
import { until } from '../harness/until.ts'
import { jobsIn, startRunner, testClock } from './engine.ts'

const hour = 3_600_000

test('recurring work has one job, and runs in turn, however many nodes start at once', async () => {
  const url = await migratedUrl()
  const databases = Array.from({ length: 4 }, () => open(url, { connectionsMax: 3 }))
  const allStarted = Promise.withResolvers<void>()
  let runs = 0
  let atOnce = 0
  let most = 0
  const work = every(10, {
    name: 'tick',
    async run({ workspaceId }) {
      expect(workspaceId).toBe(systemWide)
      most = Math.max(most, ++atOnce)
      await allStarted.promise
      expect(await jobsIn(databases[0]!)).toHaveLength(1)
      atOnce--
      return { state: 'done', runs: runs++ }
    },
  })
  await Promise.all(databases.map((database) => startRunner(database, { recurring: [work] })))
  await until(() => atOnce > 0, { what: 'the first run' })
  allStarted.resolve()
  await until(() => runs > 10, { what: 'more runs' })
  expect(await jobsIn(databases[0]!)).toHaveLength(1)
  expect(most).toBe(1)
})

test('it goes on after any number of failures', async () => {
  const database = await freshDatabase()
  const clock = testClock()
  let runs = 0
  const work = every(10, {
    name: 'shaky',
    maxAttempts: 1,
    async run() {
      if (++runs < 3) throw new Error('not yet')
      return { state: 'done' }
    },
  })
  await startRunner(database, { recurring: [work], clock })
  await until(
    () => {
      clock.jump(hour)
      return runs > 6
    },
    { what: 'runs after the failures' },
  )
  const [job] = await jobsIn(database)
  expect(job).toMatchObject({ failures: 0, last_error: null, ended_at: null })
})

test('it comes early when a commit announces its topic, and not where that is taken back', async () => {
  const database = await freshDatabase()
  let runs = 0
  let announced = 0
  const work: CalledWork = {
    name: 'called',
    everyMs: hour,
    on: 'counts',
    gapMs: 0,
    async run() {
      runs++
      return { state: 'done' }
    },
  }
  database.subscribe('counts', () => announced++)
  await startRunner(database, { recurring: [work] })
  await until(() => runs === 1, { what: 'the first run' })
  expect(await jobsIn(database)).toEqual([])
  const takenBack = database.write(async (tx) => {
    tx.publish('counts')
    throw new Error('no')
  })
  await expect(takenBack).rejects.toThrow('no')
  expect(announced).toBe(0)
  await database.write(async (tx) => tx.publish('counts'))
  await until(() => runs === 2, { what: 'the run that was called for' })
  expect(announced).toBe(1)
})
