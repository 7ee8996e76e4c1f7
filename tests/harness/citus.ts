import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { distributeDatabase, migrate } from '@kontor/server/admin'
import { openAt } from './database.ts'
import { findPostgresBinaries } from './postgres-binaries.ts'
import { logPrefix } from './shard-log.ts'

export { distributeDatabase } from '@kontor/server/admin'

/**
 * Returns whether Citus is installed beside the Postgres of the tests; it is a program of its own, and tests that need
 * it are skipped.
 */
export function hasCitus(): boolean {
  const found = spawnSync(join(findPostgresBinaries(), 'pg_config'), ['--sharedir'], { encoding: 'utf8' })
  return found.status === 0 && existsSync(join(found.stdout.trim(), 'extension/citus.control'))
}

/** Each database has a maintenance process of Citus. A statement on several shards is logged, with its database. */
export const citusSettings = [
  'shared_preload_libraries=citus',
  'max_worker_processes=400',
  'max_connections=400',
  'citus.multi_task_query_log_level=log',
  `log_line_prefix=${logPrefix}`,
]

/** Makes the database at `url` one that may be distributed: the coordinator of a cluster that holds its own shards. */
export async function prepareCitus(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { searchParams, port } = new URL(url)
  const node = [searchParams.get('host') ?? 'localhost', port === '' ? 5432 : Number(port)]
  await client.query('create extension citus')
  await client.query('select citus_set_coordinator_host($1, $2)', node)
  await client.query("select citus_set_node_property($1, $2, 'shouldhaveshards', true)", node)
  await client.end()
}

/** Brings an empty database to the newest schema, and distributes it. */
export async function distributeAt(url: string): Promise<void> {
  await prepareCitus(url)
  await spread(url)
}

/** The folder of a node's socket, which clients take as its host. */
const hostOf = (url: string): string => new URL(url).searchParams.get('host') ?? ''

/** The same for one whose rows are on other nodes, which have an empty database of this name. */
export async function distributeOver(url: string, workerUrls: readonly string[]): Promise<void> {
  const { pathname } = new URL(url)
  for (const one of [url, ...workerUrls])
    await query(Object.assign(new URL(one), { pathname }).href, 'create extension citus')
  await query(url, 'select citus_set_coordinator_host($1, 5432)', [hostOf(url)])
  for (const one of workerUrls) await query(url, 'select citus_add_node($1, 5432)', [hostOf(one)])
  await spread(url)
}

async function query(url: string, text: string, values: readonly unknown[] = []): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(text, [...values])
  await client.end()
}

async function spread(url: string): Promise<void> {
  const database = openAt(url)
  await migrate(database)
  await distributeDatabase(database)
  await database.close()
}
