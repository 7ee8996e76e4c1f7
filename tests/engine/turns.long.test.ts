import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { enqueue } from '../../packages/server/src/engine/store.ts'
import { freshDatabase } from '../db/fresh.ts'
import { until } from '../harness/until.ts'
import { add, numbered, startRunner, testClock, workspaceA, workspaceB } from './engine.ts'

test('a workspace with ten thousand jobs does not keep another waiting that comes later', async () => {
  const database = await freshDatabase()
  let flood = 0
  let few = 0
  const kind = numbered('fair', async ({ workspaceId }) => {
    if (workspaceId === workspaceA) flood++
    else few++
    await sleep(2)
    return { state: 'done' }
  })
  const now = testClock().now() - 60_000
  await database.write((tx) =>
    Promise.all(
      Array.from({ length: 10_000 }, (_, number) =>
        enqueue(tx, { workspaceId: workspaceA, kind, payload: { number }, now }),
      ),
    ),
  )
  await startRunner(database, { kinds: [kind], slots: 8 })
  await until(() => flood > 20, { what: 'the flood' })
  for (let number = 0; number < 20; number++) await add(database, { kind, workspaceId: workspaceB })
  const before = flood
  await until(() => few === 20, { what: 'the few' })
  // Half of the slots are theirs; had they to wait for their turn in the order of the jobs, it would be all.
  expect(flood - before).toBeLessThan(1000)
})
