import { Client, Pool, type ClientConfig } from 'pg'
import type { SilenceWatch } from './postgres-silence.ts'
import { types } from './postgres-types.ts'

/** Names the connections of a pool in `pg_stat_activity`. */
export const poolName = 'kontor'

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
  /** Watches each connection from before it is made. */
  readonly watch?: Pick<SilenceWatch, 'add' | 'begin'>
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

/**
 * Detects a peer that disappeared silently (a machine that died, a firewall that dropped the connection) between
 * statements too: the system asks after 5 s, and ten times more, a second apart.
 */
export const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: 5000 } as const

/**
 * The same for Postgres: a server that disappeared keeps the locks of its transactions for 15 s. Behind a pooler they
 * would concern its own connections.
 */
const peerSettings = {
  tcp_keepalives_idle: 5,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 2,
  tcp_user_timeout: 15_000,
}

const optionsOf = (statementTimeoutMs: number): string =>
  Object.entries({ ...sessionSettings(statementTimeoutMs), ...peerSettings })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')

/** Creates a pool of connections, which connects when it is used. */
export function createPool({
  url,
  listenUrl,
  statementTimeoutMs,
  connectionsMax,
  name = poolName,
  connectMaxMs = Math.max(connectMsMin, statementTimeoutMs),
  watch,
}: ConnectionOptions): Pool {
  const pool = new Pool({
    Client: class extends Client {
      constructor(config?: ClientConfig) {
        super(config)
        watch?.add(this)
      }
    },
    connectionString: url,
    max: connectionsMax,
    pipeline: true,
    connectionTimeoutMillis: connectMaxMs,
    query_timeout: statementTimeoutMs + silentMaxMs,
    ...keptAlive,
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
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    watch?.begin(client)
  })
  return pool
}
