import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { enqueue } from '../../packages/server/src/engine/store.ts'
import { freshDatabase } from '../db/fresh.ts'
import { add, numbered, startRunner, until, workspaceA, workspaceB } from './engine.ts'

test('a workspace with very many jobs does not keep another waiting', { timeout: 60_000 }, async () => {
  const database = await freshDatabase()
  let flood = 0
  let few = 0
  const kind = numbered('fair', async ({ workspaceId }) => {
    if (workspaceId === workspaceA) flood++
    else few++
    await sleep(2)
    return { state: 'done' }
  })
  const now = Date.now() - 60_000
  await database.write((tx) =>
    Promise.all(
      Array.from({ length: 10_000 }, (_, number) =>
        enqueue(tx, { workspaceId: workspaceA, kind, payload: { number }, now }),
      ),
    ),
  )
  await startRunner(database, { kinds: [kind], slots: 8 })
  await until(() => flood > 20, 'the flood')
  for (let number = 0; number < 20; number++) await add(database, { kind, workspaceId: workspaceB })
  const before = flood
  await until(() => few === 20, 'the few')
  // Half of the slots are theirs; had they to wait for their turn in the order of the jobs, it would be all.
  expect(flood - before).toBeLessThan(1000)
})

test('one whose jobs take for ever leaves slots to the others', async () => {
  const database = await freshDatabase()
  let done = 0
  const end = Promise.withResolvers<void>()
  const slow = numbered('slow', async () => {
    await end.promise
    return { state: 'done' }
  })
  const quick = numbered('quick', async () => ({ state: 'done', done: done++ }))
  for (let number = 0; number < 20; number++) await add(database, { kind: slow })
  await startRunner(database, { kinds: [slow, quick], slots: 4 })
  await sleep(200)
  await add(database, { kind: quick, workspaceId: workspaceB })
  await until(() => done === 1, 'the quick one')
  end.resolve()
})
