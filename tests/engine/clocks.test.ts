import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { migrate } from '../../packages/server/src/db/migrate.ts'
import { every } from '../../packages/server/src/engine/recurring.ts'
import { freshDatabase, freshUrl, open } from '../db/fresh.ts'
import { someOf } from '../harness/size.ts'
import { add, jobsIn, numbered, startRunner, testClock, until, untilDone } from './engine.ts'

const hour = 3_600_000
const day = 24 * hour

describe.each(someOf([-day, -hour, hour, day], 2))('where the clock jumps by %i ms', (jumpMs) => {
  test('a run goes on, and no other runs its job beside it', { timeout: 30_000 }, async () => {
    const url = await freshUrl()
    const databases = [open(url), open(url)]
    await migrate(databases[0]!)
    const clocks = databases.map(() => testClock())
    let runs = 0
    const kind = numbered(
      'long',
      async ({ heartbeat }) => {
        runs++
        for (let sign = 0; sign < 30; sign++) {
          await sleep(100)
          await heartbeat()
        }
        return { state: 'done' }
      },
      { leaseMs: 1500 },
    )
    for (const [index, database] of databases.entries())
      await startRunner(database, { kinds: [kind], clock: clocks[index]! })
    await add(databases[0]!, { kind })
    await until(() => runs === 1, 'the run')
    await sleep(200)
    clocks[0]!.jump(jumpMs)
    await sleep(300)
    clocks[1]!.jump(jumpMs)
    await untilDone(databases[0]!)
    expect(runs).toBe(1)
  })

  test('what waits for a moment does not wait for long', { timeout: 30_000 }, async () => {
    const database = await freshDatabase()
    const clock = testClock()
    const runs: Record<string, number> = { soon: 0, fails: 0, steps: 0, every: 0 }
    const soon = numbered('soon', async () => ({ state: 'done', runs: runs['soon']!++ }))
    const steps = numbered('steps', async (_context, { number }) => ({
      state: 'again',
      inMs: 100,
      payload: { number },
      runs: runs['steps']!++,
    }))
    const fails = numbered('fails', async ({ attempt }) => {
      runs['fails']!++
      if (attempt === 1) throw new Error('no')
      return { state: 'done' }
    })
    const recurring = every(200, { name: 'every', run: async () => ({ state: 'done', runs: runs['every']!++ }) })
    await startRunner(database, { kinds: [soon, steps, fails], recurring: [recurring], clock })
    await add(database, { kind: fails, now: clock.now() })
    await add(database, { kind: steps, now: clock.now() })
    await until(() => runs['fails'] === 1 && runs['steps']! > 1 && runs['every']! > 1, 'first runs')
    await add(database, { kind: soon, now: clock.now(), runAt: clock.now() + 600 })
    clock.jump(jumpMs)
    const before = { ...runs }
    await until(
      () =>
        runs['soon'] === 1 &&
        runs['fails'] === 2 &&
        runs['steps']! > before['steps']! + 2 &&
        runs['every']! > before['every']! + 2,
      'runs after the jump',
      10_000,
    )
  })
})

test('what is meant to wait for a day does so, although the clock was set back and forth', async () => {
  const database = await freshDatabase()
  const clock = testClock()
  let runs = 0
  const kind = numbered('tomorrow', async () => ({ state: 'done', runs: runs++ }))
  await startRunner(database, { kinds: [kind], clock })
  await add(database, { kind, now: clock.now(), runAt: clock.now() + day })
  clock.jump(-hour)
  await sleep(300)
  const [job] = await jobsIn(database)
  expect(Math.abs(job!.run_at - (clock.now() + day))).toBeLessThan(2000)
  clock.jump(hour)
  await sleep(300)
  expect(runs).toBe(0)
  clock.jump(day)
  await untilDone(database)
  expect(runs).toBe(1)
})
