import { expect, test } from 'vitest'
import { DatabaseUnavailable } from '../../packages/server/src/db/errors.ts'
import { inEachWorkspace } from '../../packages/server/src/engine/each-workspace.ts'
import { every, summon } from '../../packages/server/src/engine/recurring.ts'
import { freshDatabase } from '../db/fresh.ts'
import { until } from '../harness/until.ts'
import { jobsIn, startRunner, testClock, workspaceA, workspaceB } from './engine.ts'

const faults = [new Error('broken'), new DatabaseUnavailable('node_lost'), new DatabaseUnavailable('unknown')]

test.each(faults)('each workspace has a batch in every round, and one rests after %s', async (fault) => {
  const database = await freshDatabase()
  const batches: string[] = []
  const run = inEachWorkspace({
    due: async () => [workspaceA, workspaceB],
    async work(_, workspaceId) {
      batches.push(workspaceId)
      if (workspaceId === workspaceA) throw fault
      return batches.length < 4
    },
  })
  const tend = every(60_000, { name: 'tend', run })
  const ended = (runs: number): Promise<unknown> =>
    until(
      async () => (await jobsIn(database)).some(({ attempt, leased_by }) => attempt === runs && leased_by === null),
      { what: `${runs} runs` },
    )
  await startRunner(database, { recurring: [tend] })
  await ended(1)
  expect(batches.splice(0)).toEqual([workspaceA, workspaceB, workspaceB, workspaceB])
  expect(await jobsIn(database)).toMatchObject([{ failures: 0, last_error: null, ended_at: null }])
  await summon({ database, clock: testClock() }, tend)
  await ended(2)
  expect(batches).not.toContain(workspaceA)
})
