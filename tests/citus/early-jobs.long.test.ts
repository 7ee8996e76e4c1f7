import pg from 'pg'
import { assert, describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { startNodes } from '../harness/citus-nodes.ts'
import { hasCitus } from '../harness/citus.ts'
import { exportsOf } from '../harness/exports.ts'
import { until } from '../harness/until.ts'

/** Ends what hangs. */
const limits = { timeout: 300_000 }

async function query(url: string, text: string): Promise<{ readonly count?: string }[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<{ readonly count?: string }>(text)).rows
  } finally {
    await client.end()
  }
}

const count = async (url: string, from: string): Promise<number> =>
  Number((await query(url, `select count(*) from ${from}`))[0]?.count)

const waiting = "pg_stat_activity where wait_event = 'SyncRep'"

/** Lets each commit wait for a standby that does not exist, and returns once one does. */
async function holdCommits(url: string): Promise<void> {
  await query(url, "alter system set synchronous_standby_names = 'nowhere'")
  await query(url, 'select pg_reload_conf()')
  await until(async () => {
    void query(url, "select pg_logical_emit_message(true, 'test', '')").catch(() => undefined)
    return (await count(url, waiting)) > 0
  })
}

async function releaseCommits(url: string): Promise<void> {
  await query(url, 'alter system reset synchronous_standby_names')
  await query(url, 'select pg_reload_conf()')
}

describe.runIf(hasCitus())('a job that is claimed before its rows have committed on their node', () => {
  test('waits for them', limits, async () => {
    const nodes = await startNodes()
    const app = await startApp({ databaseUrl: nodes.url })
    const exports = exportsOf(app)
    const folder = await nodes.nodeOf(await app.workspaceId('acme'))
    const node = nodes.workers.find((worker) => worker.folder === folder)
    assert(node)
    await holdCommits(nodes.url)
    const created = exports.create({ kind: 'records', object: 'person' })
    await until(async () => (await count(node.url, 'pg_prepared_xacts')) > 0)
    await holdCommits(node.url)
    await releaseCommits(nodes.url)
    await app.startJobs()
    await until(async () => (await count(nodes.url, "job where kind = 'exports.run' and attempt > 0")) > 0)
    await releaseCommits(node.url)
    const { status, body } = await created
    expect(status).toBe(202)
    expect((await exports.ended(body.data.id)).state).toBe('completed')
  })
})
