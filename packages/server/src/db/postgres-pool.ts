import { Pool } from 'pg'
import { types } from './postgres-types.ts'

export type ConnectionOptions = {
  readonly url: string
  /** Where it is set, `url` leads to a pooler, whose connections have the settings of their role. */
  readonly listenUrl?: string | undefined
  readonly statementTimeoutMs: number
  readonly connectionsMax: number
  /** Names its connections in `pg_stat_activity`. */
  readonly name?: string
  /** Longest that a connection may take to be made or to be free; as long as a statement by default. */
  readonly connectMaxMs?: number
}

/**
 * A transaction waits only for this server. One that is idle for so long belongs to a node that hangs, and blocks
 * others.
 */
const idleMaxMs = 60_000

/** The settings of a connection. Parallel workers cost more than they gain on small queries (docs/decisions/0004). */
export const sessionSettings = (statementTimeoutMs: number) => ({
  statement_timeout: statementTimeoutMs,
  idle_in_transaction_session_timeout: idleMaxMs,
  max_parallel_workers_per_gather: 0,
  jit: 'off',
})

/**
 * The grace period after the statement timeout. The server should have cancelled the statement itself; if it has not
 * answered by then, the connection is dead.
 */
const silentMaxMs = 5000

/**
 * Longest that a connection may take to be made or to be free, however short statements are: a loaded machine starts
 * the process of a connection late, and is what needs patience most.
 */
const connectMsMin = 10_000

const optionsOf = (statementTimeoutMs: number): string =>
  Object.entries(sessionSettings(statementTimeoutMs))
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')

/** Creates a pool of connections, which connects when it is used. */
export function createPool({
  url,
  listenUrl,
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
    ...(listenUrl === undefined && { options: optionsOf(statementTimeoutMs) }),
    application_name: name,
  })
  // The pool replaces a connection that breaks, idle or in use. Its error events need a listener, or the process
  // ends.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}
