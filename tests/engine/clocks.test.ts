import { describe, expect, test } from 'vitest'
import { every } from '../../packages/server/src/engine/recurring.ts'
import { freshDatabase } from '../db/fresh.ts'
import { someOf } from '../harness/size.ts'
import { until } from '../harness/until.ts'
import { add, bystander, heldClock, jobsIn, numbered, startRunner, testClock, untilDone } from './engine.ts'

const hour = 3_600_000
const day = 24 * hour

describe.each(someOf([-day, -hour, hour, day], 2))('where the clock jumps by %i ms', (jumpMs) => {
  test('what waits for a moment does not wait for long', async () => {
    const database = await freshDatabase()
    const clock = testClock()
    const runs: Record<string, number> = { soon: 0, fails: 0, succeeds: 0, steps: 0, every: 0 }
    let hasJumped = false
    const soon = numbered('soon', async () => ({ state: 'done', runs: runs['soon']!++ }))
    const steps = numbered('steps', async (_context, { number }) => ({
      state: 'again',
      inMs: 100,
      payload: { number },
      runs: runs['steps']!++,
    }))
    const fails = numbered('fails', async () => {
      runs['fails']!++
      if (!hasJumped) throw new Error('no')
      return { state: 'done', runs: runs['succeeds']!++ }
    })
    const recurring = every(200, { name: 'every', run: async () => ({ state: 'done', runs: runs['every']!++ }) })
    await startRunner(database, { kinds: [soon, steps, fails], recurring: [recurring], clock })
    await add(database, { kind: fails, now: clock.now() })
    await add(database, { kind: steps, now: clock.now() })
    await until(() => runs['fails']! > 0 && runs['steps']! > 1 && runs['every']! > 1, { what: 'first runs' })
    await add(database, { kind: soon, now: clock.now(), runAt: clock.now() + 600 })
    hasJumped = true
    clock.jump(jumpMs)
    const before = { ...runs }
    await until(
      () =>
        runs['soon'] === 1 &&
        runs['succeeds'] === 1 &&
        runs['steps']! > before['steps']! + 2 &&
        runs['every']! > before['every']! + 2,
      { what: () => runs },
    )
  })
})

test('what is meant to wait for a day does so, although the clock was set back and forth', async () => {
  const database = await freshDatabase()
  const clock = heldClock()
  let runs = 0
  const kind = numbered('tomorrow', async () => ({ state: 'done', runs: runs++ }))
  const { kind: other, passes } = bystander(database, clock)
  await startRunner(database, { kinds: [kind, other], clock })
  await add(database, { kind, now: clock.now(), runAt: clock.now() + day })
  clock.jump(-hour)
  const dueAt = async () => (await jobsIn(database)).find((job) => job.kind === 'tomorrow')!.run_at
  await until(async () => (await dueAt()) === clock.now() + day, { what: 'the job set back with the clock' })
  clock.jump(hour)
  await passes()
  expect(runs).toBe(0)
  clock.jump(day - hour)
  await untilDone(database)
  expect(runs).toBe(1)
})
