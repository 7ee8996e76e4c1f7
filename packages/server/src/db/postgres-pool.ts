import { Pool } from 'pg'
import { types } from './postgres-types.ts'

export type ConnectionOptions = {
  readonly url: string
  readonly statementTimeoutMs: number
  readonly connectionsMax: number
  /** Names its connections in `pg_stat_activity`. */
  readonly name?: string
  /** The longest wait for a connection, if it is not the limit of a statement. */
  readonly connectMaxMs?: number
}

/**
 * A transaction waits only for this server. One that is idle for so long belongs to a node that hangs, and blocks
 * others.
 */
const idleMaxMs = 60_000

/**
 * The grace period after the statement timeout. The server should have cancelled the statement itself; if it has not
 * answered by then, the connection is dead.
 */
const silentMaxMs = 5000

/**
 * The longest wait for a connection, however short statements are: a loaded machine starts the
 * process of a connection late, and is what needs patience most.
 */
const connectMsMin = 10_000

/** Creates a pool of connections, which connects when it is used. */
export function createPool({
  url,
  statementTimeoutMs,
  connectionsMax,
  name = 'kontor',
  connectMaxMs = Math.max(connectMsMin, statementTimeoutMs),
}: ConnectionOptions): Pool {
  const pool = new Pool({
    connectionString: url,
    max: connectionsMax,
    pipeline: true,
    connectionTimeoutMillis: connectMaxMs,
    query_timeout: statementTimeoutMs + silentMaxMs,
    // Detects a peer that disappeared silently (a machine that died, a firewall that dropped the connection) between
    // statements too.
    keepAlive: true,
    // A connection keeps every statement that it ever prepared, and filters have many shapes, so it is closed after a
    // while.
    maxLifetimeSeconds: 3600,
    types,
    // Parallel workers cost more than they gain on queries of a millisecond (docs/decisions/0004).
    options:
      `-c max_parallel_workers_per_gather=0 -c statement_timeout=${statementTimeoutMs} -c ` +
      `idle_in_transaction_session_timeout=${idleMaxMs} -c jit=off`,
    application_name: name,
  })
  // The pool replaces a connection that breaks, idle or in use. Its error events need a listener, or the process
  // ends.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}
