import type { Pool, PoolClient, QueryConfig } from 'pg'
import type { PostgresDatabase } from '../postgres-database.ts'
import type { Applied, MigrationSession, Plan } from './session.ts'

/** The key of the advisory lock, "kont" in ASCII: any number that no other program on the database takes. */
export const migrationLock = 0x6b6f6e74

const history = `create table if not exists kontor_migration (
  number bigint not null,
  name text collate "C" not null,
  applied_at bigint not null,
  primary key (number)
)`

/**
 * Postgres: a lock of the transaction, not of the session, so that a pooler between us and the server cannot
 * leave it behind, and a killed node frees it with its connection.
 */
export function postgresSession({ pool }: PostgresDatabase): MigrationSession {
  return {
    applied: async () => {
      const client = await pool.connect()
      try {
        return await appliedOf(client)
      } finally {
        client.release()
      }
    },
    step: (plan, onWait) => inTransaction(pool, (client) => run(client, plan, onWait)),
  }
}

/** Runs work on the schema in a transaction of its own, all or nothing. */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
    const value = await work(client)
    await client.query('commit')
    return value
  } catch (error) {
    await client.query('rollback').catch((rollbackError: Error) => (broken = rollbackError))
    throw error
  } finally {
    client.release(broken)
  }
}

/** The longest time that a timer takes. */
const longestMs = 2 ** 31 - 1

/** A statement that the pool does not bound: building an index or moving rows may take long. */
export function unbounded(text: string, values: unknown[] = []): QueryConfig {
  const config = { text, ...(values.length > 0 && { values }), query_timeout: longestMs }
  return config
}

async function run(client: PoolClient, plan: Plan, onWait: () => void): Promise<boolean> {
  // The pool bounds every statement, here and there; building an index or waiting for another node may take longer.
  await client.query('set local statement_timeout = 0')
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_xact_lock($1) as locked', [
    migrationLock,
  ])
  if (rows[0]?.locked !== true) {
    onWait()
    await client.query(unbounded('select pg_advisory_xact_lock($1)', [migrationLock]))
  }
  // On a distributed database: one shard after another, since a migration touches tables in several statements.
  await client.query("set local citus.multi_shard_modify_mode to 'sequential'")
  await client.query(history)
  const step = plan(await appliedOf(client))
  if (step === undefined) return false
  for (const statement of step.statements) await client.query(unbounded(statement))
  if (step.direction === 'down') await client.query('delete from kontor_migration where number = $1', [step.number])
  else {
    const now = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint'
    await client.query(`insert into kontor_migration (number, name, applied_at) values ($1, $2, ${now})`, [
      step.number,
      step.name,
    ])
  }
  return true
}

async function appliedOf(client: PoolClient): Promise<Applied> {
  const { rows: tables } = await client.query<{ found: boolean }>(
    "select to_regclass('kontor_migration') is not null as found",
  )
  if (tables[0]?.found !== true) return []
  const { rows } = await client.query<Applied[number]>(
    'select number, name, applied_at from kontor_migration order by number',
  )
  return rows
}
