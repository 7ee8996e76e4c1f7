import pg from 'pg'
import { inject } from 'vitest'

/**
 * Counts the deadlocks that Postgres has found in a database. Ends the connections to it: they report when they end.
 */
export async function deadlocksIn(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') })
  await client.connect()
  const name = new URL(databaseUrl).pathname.slice(1)
  try {
    await client.query('select pg_terminate_backend(pid, 30000) from pg_stat_activity where datname = $1', [name])
    const { rows } = await client.query('select deadlocks from pg_stat_database where datname = $1', [name])
    return Number(rows[0].deadlocks)
  } finally {
    await client.end()
  }
}
