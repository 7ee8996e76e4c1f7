import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { isFull, runSeed, rounds } from '../harness/size.ts'
import { FuzzRun } from './fuzz-run.ts'
import { heldBytes } from './memory.ts'

const requests = rounds(2500, 30)
const seed = runSeed

/** So many requests are enough to reach every endpoint in every way. */
const reachAll = 50_000

/** Caches and compiled code are full after the first part; what grows from then on would grow for ever. */
const warm = Math.ceil(requests / 5)
const growthMax = 48 * 1024 ** 2
/** The database may have opened some more connections of its own. */
const handlesGrowthMax = 16

const app = await startApp()

test(
  `${requests} requests with hostile values in every position: never a 500, an undeclared shape, or another ` +
    `workspace's data`,
  { timeout: 120_000 + requests * 10 },
  async () => {
    // The parser of SQL has 128 MiB of addresses to itself, once a request needs it.
    expect(
      (
        await app.api.post('/workspaces/acme/objects/person/lists', {
          body: { title: 'All', type: 'dynamic', query: { sql: 'SELECT * FROM person' } },
        })
      ).status,
    ).toBe(201)
    const run = await FuzzRun.begin(app, seed)
    const other = await app.workspaceId('other')
    // The jobs of its creation belong to it.
    await app.startJobs()
    await app.quiet()
    const before = await app.rows(other)
    // The grammar of SQL is loaded with the first list that has some; later it would look like a leak.
    await app.api.post('/workspaces/acme/objects/person/lists', {
      body: { title: 'All', type: 'dynamic', query: { sql: 'SELECT * FROM person' } },
    })
    await run.run(warm)
    const first = { bytes: await heldBytes(), handles: process.getActiveResourcesInfo().length }
    await run.run(requests - warm)
    const last = { bytes: await heldBytes(), handles: process.getActiveResourcesInfo().length }
    expect(run.verdicts.report, `seed ${seed}`).toEqual([])
    expect(await app.rows(other), 'the other workspace is as it was').toEqual(before)
    if (isFull()) {
      expect(last.bytes - first.bytes, 'bytes that it holds on to').toBeLessThan(growthMax)
      expect(last.handles - first.handles, 'sockets, timers and the like').toBeLessThan(handlesGrowthMax)
    }
    run.close()
    if (requests >= reachAll) expect(run.verdicts.missing(), 'what no request has met').toEqual([])
  },
)
