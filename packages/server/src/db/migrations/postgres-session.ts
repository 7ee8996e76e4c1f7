import type { Pool, PoolClient, QueryConfig } from 'pg'
import { setTimeout as sleep } from 'node:timers/promises'
import { memberOf } from '../../lib/guards.ts'
import type { PostgresDatabase } from '../postgres-database.ts'
import { connectedProcesses, migratedNotice, migrationLock } from './connected.ts'
import { checkConnected } from './history.ts'
import { MigrationRefused } from './refused.ts'
import { appliedFrom, type Applied, type MigrationSession, type Plan } from './session.ts'

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
    step: (plan, onWait) => untilLocked(() => inTransaction(pool, (client) => run(client, plan, onWait))),
  }
}

/**
 * The time for which a rolling migration waits for a lock, and others then wait behind it. Long transactions end
 * meanwhile, or it tries again.
 */
const lockMaxMs = 1000
const lockPauseMs = 500
const lockTriesMax = 60

/** `lock_not_available` and `deadlock_detected` */
const unlocked: ReadonlySet<unknown> = new Set(['55P03', '40P01'])

/** Runs a step, again if others hold its tables for too long. */
async function untilLocked<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!unlocked.has(memberOf(error, 'code'))) throw error
      if (tries === lockTriesMax)
        throw new MigrationRefused(
          'The next migration waited in vain for tables that long transactions use; nothing was changed. Try again, ' +
            'or stop the servers first.',
          { cause: error },
        )
      await sleep(lockPauseMs)
    }
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
  checkConnected(step, await connectedProcesses(client))
  if (step.rolling) await client.query(`set local lock_timeout = ${lockMaxMs}`)
  for (const statement of step.statements) await client.query(unbounded(statement))
  if (step.direction === 'down') await client.query('delete from kontor_migration where number = $1', [step.number])
  else {
    const now = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint'
    await client.query(`insert into kontor_migration (number, name, applied_at) values ($1, $2, ${now})`, [
      step.number,
      step.name,
    ])
    if (step.rolling) await client.query('update kontor_migration set rolling = true where number = $1', [step.number])
  }
  await client.query(migratedNotice)
  return true
}

async function appliedOf(client: PoolClient): Promise<Applied> {
  const { rows: tables } = await client.query<{ found: boolean }>(
    "select to_regclass('kontor_migration') is not null as found",
  )
  if (tables[0]?.found !== true) return []
  const { rows } = await client.query<Applied[number]>('select * from kontor_migration order by number')
  return appliedFrom(rows)
}
