import pg from 'pg'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { migratedDatabase } from '../harness/database.ts'
import { say } from '../harness/long-run.ts'
import { createKey } from '../harness/people.ts'
import { hasPgBouncer, sharedByPooler, startPgBouncer } from '../harness/pgbouncer.ts'
import { startServer, startWorker } from '../harness/server-process.ts'
import { until } from '../harness/until.ts'
import { Writers } from '../harness/writers.ts'

const limits = [
  'statement_timeout = 10000',
  'idle_in_transaction_session_timeout = 60000',
  'max_parallel_workers_per_gather = 0',
  'jit = off',
]

async function run(url: string, statements: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  let rows: readonly Record<string, unknown>[] = []
  for (const statement of statements) rows = (await client.query(statement)).rows
  await client.end()
  return rows
}

/** Gives the connections to a database the limits that Kontor asks for. */
const limit = (url: string) =>
  run(
    url,
    limits.map((setting) => `alter database ${new URL(url).pathname.slice(1)} set ${setting}`),
  )

const starting = (url: string, settings = {}) => expect(startServer(url, settings)).rejects

const isHere = hasPgBouncer()
if (!isHere) say('PgBouncer 1.21 or newer is not on the PATH (or in PGBOUNCER): nothing is tested behind it.')

describe.runIf(inject('database') === 'postgres' && isHere)('behind PgBouncer in transaction mode', () => {
  test('a server that cannot work there does not start, and says why', async () => {
    const { url, remove } = await migratedDatabase()
    onTestFinished(remove)
    const pooler = await startPgBouncer(url)
    await starting(pooler.url).toThrow(/ended with 1: DATABASE_URL leads to a pooler .*DATABASE_LISTEN_URL.*\n$/)
    const behind = { DATABASE_LISTEN_URL: url }
    await starting(pooler.url, behind).toThrow(/alter role kontor set statement_timeout = 10000; /)
    await limit(url)
    // Connections that the pooler has opened before have the old settings.
    const old = await startPgBouncer(url, { max_prepared_statements: 0 })
    await starting(old.url, behind).toThrow(/does not know prepared statements\. PgBouncer does from version 1\.21/)
    const fresh = await startPgBouncer(url)
    await starting(fresh.url, { DATABASE_LISTEN_URL: fresh.url }).toThrow(/do not arrive at DATABASE_LISTEN_URL/)
    await startServer(fresh.url, behind)
  })

  test('two servers and a worker lose nothing, do nothing twice, and hear of each other', async () => {
    const { url } = await migratedDatabase()
    await limit(url)
    const pooler = await startPgBouncer(url)
    const app = await startApp({ databaseUrl: pooler.url, listenUrl: url })
    const settings = { DATABASE_LISTEN_URL: url, ENCRYPTION_KEYS: 'a key of at least thirty-two characters' }
    const nodes = [await startServer(pooler.url, settings), await startServer(pooler.url, settings)]
    await startWorker(pooler.url, settings)
    const writers = new Writers({
      baseUrls: () => nodes.map(({ baseUrl }) => baseUrl),
      credentials: app.credentials,
      count: 24,
    })
    writers.start()
    await writers.progress(60)
    await writers.stop()
    say(`answers: ${JSON.stringify([...writers.statuses])}`)
    expect(writers.faults).toEqual([])
    expect(await writers.differences(nodes[0]!.baseUrl)).toEqual([])
    const [row] = await run(url, [
      'select count(*)::int as open from pg_stat_activity ' +
        "where datname = current_database() and application_name = 'kontor'",
    ])
    expect(row!['open']).toBeLessThanOrEqual(sharedByPooler)

    const { id, key } = await createKey(app.api.post, 'admin')
    const status = async (): Promise<number> =>
      (await fetch(`${nodes[1]!.baseUrl}/workspaces/acme/users`, { headers: { authorization: `api-key ${key}` } }))
        .status
    expect(await status()).toBe(200)
    await app.api.delete(`/workspaces/acme/api-keys/${id}`)
    await until(async () => (await status()) === 401)
  })
})
