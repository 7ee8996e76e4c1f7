import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { enqueue } from '../../packages/server/src/engine/store.ts'
import { freshDatabase } from '../db/fresh.ts'
import { machineClock } from '../harness/clock.ts'
import { until } from '../harness/until.ts'
import { add, heldClock, jobsIn, numbered, startRunner, workspaceA, workspaceB } from './engine.ts'

test('a workspace with very many jobs does not keep another waiting', async () => {
  const database = await freshDatabase()
  const clock = heldClock()
  let flood = 0
  let few = 0
  let floodBefore = 0
  const kind = numbered('fair', async ({ workspaceId }) => {
    await nextTurn()
    if (workspaceId === workspaceA) flood++
    else if (++few === 20) floodBefore = flood
    return { state: 'done' }
  })
  // More than are read at once, all before those of the other.
  const enqueueAll = (workspaceId: string, count: number) =>
    database.write((tx) =>
      Promise.all(
        Array.from({ length: count }, (_, number) =>
          enqueue(tx, { workspaceId, kind, payload: { number }, now: clock.now() }),
        ),
      ),
    )
  await enqueueAll(workspaceA, 400)
  clock.jump(1000)
  await enqueueAll(workspaceB, 20)
  await startRunner(database, { kinds: [kind], slots: 8, clock })
  await until(() => few === 20, { what: 'the few' })
  // Half of the slots are theirs; had they to wait for their turn in the order of the jobs, it would be all.
  expect(floodBefore).toBeLessThan(100)
})

test('one whose jobs take for ever leaves slots to the others', async () => {
  const database = await freshDatabase()
  let done = 0
  let running = 0
  const end = Promise.withResolvers<void>()
  const slow = numbered('slow', async () => {
    running++
    await end.promise
    return { state: 'done' }
  })
  const quick = numbered('quick', async () => ({ state: 'done', done: done++ }))
  for (let number = 0; number < 20; number++) await add(database, { kind: slow })
  await startRunner(database, { kinds: [slow, quick], slots: 4 })
  await until(() => running === 3, { what: 'the slow ones' })
  for (let number = 1; number <= 3; number++) {
    await add(database, { kind: quick, workspaceId: workspaceB })
    await until(() => done === number, { what: 'a quick one' })
  }
  expect(running).toBe(3)
  end.resolve()
})

test('a runner that has just begun holds few jobs, and one more for each that it has ended', async () => {
  const database = await freshDatabase()
  let ms = 0
  const ends: (() => void)[] = []
  const kind = numbered('counted', async () => {
    await new Promise<void>((resolve) => ends.push(resolve))
    return { state: 'done' }
  })
  for (const workspaceId of [workspaceA, workspaceB])
    for (let number = 0; number < 20; number++) await add(database, { kind, workspaceId })
  await startRunner(database, { kinds: [kind], clock: { ...machineClock, monotonicMs: () => ms } })
  await until(() => ends.length === 8, { what: 'the first' })
  ends[0]?.()
  await until(() => ends.length === 10, { what: 'one in place of that which ended, and one more' })
  expect((await jobsIn(database)).filter(({ leased_by }) => leased_by !== null)).toHaveLength(9)
  ms = 2000
  await until(() => ends.length === 40, { what: 'all others' })
  for (const end of ends) end()
})
