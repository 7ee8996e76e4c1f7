import { setTimeout as sleep } from 'node:timers/promises'
import knexFactory from 'knex'
import pg from 'pg'
import { SerialisationFailure } from './errors.ts'
import { PostgresReadTx, PostgresTx } from './postgres-tx.ts'
import { postgresDialect } from './postgres.ts'
import { statementCache } from './statement.ts'
import type { Database, ReadTx, Sql, Tx } from './tx.ts'

export type PostgresOptions = { readonly url: string; readonly statementTimeoutMs: number; readonly connectionsMax: number }

const attemptsMax = 8

/** `serialization_failure` and `deadlock_detected`: the same work may well succeed when it is run again. */
const retryable = new Set(['40001', '40P01'])

// Timestamps and counts are whole numbers far below 2^53, so bigint columns arrive as numbers.
const types = new pg.TypeOverrides()
types.setTypeParser(20, Number)

/**
 * Postgres behind a pool. Connections pipeline: BEGIN travels with the first statement, and statements that are
 * not awaited one by one share a round trip.
 */
export class PostgresDatabase implements Database {
  readonly dialect = postgresDialect
  readonly reader: ReadTx
  readonly pool: pg.Pool
  readonly #sql: Sql = { knex: knexFactory({ client: 'pg' }), dialect: postgresDialect }
  readonly #compiled = statementCache(this.#sql)

  constructor(options: PostgresOptions) {
    this.pool = new pg.Pool({
      connectionString: options.url,
      max: options.connectionsMax,
      pipeline: true,
      types,
      // Parallel workers cost more than they bring on queries of a millisecond (docs/decisions/0004).
      options: `-c max_parallel_workers_per_gather=0 -c statement_timeout=${options.statementTimeoutMs} -c jit=off`,
      application_name: 'kontor',
    } as pg.PoolConfig)
    // A connection that breaks while idle is replaced by the pool; the event must be heard, or the process ends.
    this.pool.on('error', () => undefined)
    this.reader = new PostgresReadTx(this.#sql, this.#compiled, (query) => this.pool.query(query))
  }

  async write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(work)
      } catch (error) {
        const failed = error instanceof SerialisationFailure || retryable.has((error as { code?: string }).code ?? '')
        if (!failed || attempt === attemptsMax) throw error
        // Spread by attempt; the jitter comes from the other transaction's own length.
        await sleep(2 ** attempt)
      }
    }
  }

  async ping(): Promise<void> {
    await this.pool.query('select 1')
  }

  async close(): Promise<void> {
    await this.pool.end()
  }

  async #attempt<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await this.pool.connect()
    let broken: Error | undefined
    try {
      const begun = client.query('begin')
      begun.catch(() => undefined)
      const tx = new PostgresTx(this.#sql, this.#compiled, (query) => client.query(query))
      const value = await work(tx)
      const { command } = await client.query('commit')
      if (command !== 'COMMIT') throw new Error('The transaction had failed before its commit')
      return value
    } catch (error) {
      await client.query('rollback').catch((rollbackError: Error) => (broken = rollbackError))
      throw error
    } finally {
      client.release(broken)
    }
  }
}
