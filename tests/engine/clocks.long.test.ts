import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { migrate } from '../../packages/server/src/db/migrate.ts'
import { freshUrl, open } from '../db/fresh.ts'
import { until } from '../harness/until.ts'
import { add, numbered, startRunner, testClock, untilDone } from './engine.ts'

const hour = 3_600_000
const day = 24 * hour

describe.each([-day, -hour, hour, day])('where the clock jumps by %i ms', (jumpMs) => {
  test('a run goes on, and no other runs its job beside it', async () => {
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
    await until(() => runs === 1, { what: 'the run' })
    await sleep(200)
    clocks[0]!.jump(jumpMs)
    await sleep(300)
    clocks[1]!.jump(jumpMs)
    await untilDone(databases[0]!)
    expect(runs).toBe(1)
  })
})
