import type { Pool, PoolClient } from 'pg'
import { memberOf } from '../lib/guards.ts'
import { DatabaseRefused } from './errors.ts'

/** Connections that a server needs at the same time: for reads, for a change, and for notices of other servers. */
const neededAtOnce = 3

/** The pooler refuses what a connection begins with (protocol_violation). */
const protocolViolation = '08P01'
const tooManyConnections = '53300'

const pooled = (): DatabaseRefused =>
  new DatabaseRefused(
    'DATABASE_URL leads to a pooler that does not keep the settings of a connection. Connect to Postgres directly, ' +
      'or configure the pooler to pool sessions and to pass "options" on ("Poolers" in the guide to operation).',
  )

/** A refusal in one sentence, where the operator can do something about it. */
function refusalOf(error: unknown, connectionsMax: number): unknown {
  const code = memberOf(error, 'code')
  if (code === tooManyConnections)
    return new DatabaseRefused(
      `Postgres has too few free connections: a server needs ${neededAtOnce} to start, and up to ` +
        `${connectionsMax + 1} ` +
        '(DATABASE_CONNECTIONS and one for notices). Raise max_connections or the limit of the role.',
      { cause: error },
    )
  const isOfOptions = code === protocolViolation && /startup parameter/.test(String(memberOf(error, 'message')))
  return isOfOptions ? pooled() : error
}

/**
 * Refuses a Postgres on which the server would fail later: with too few connections, or behind a pooler that gives each
 * transaction another session, so that time limits and notices are lost.
 */
export async function requireSessions(
  pool: Pool,
  { connectionsMax, statementTimeoutMs }: { readonly connectionsMax: number; readonly statementTimeoutMs: number },
): Promise<void> {
  const count = Math.min(neededAtOnce, connectionsMax)
  const opened = await Promise.allSettled(Array.from({ length: count }, () => pool.connect()))
  const clients = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  try {
    const failed = opened.find((one) => one.status === 'rejected')
    if (failed !== undefined) throw refusalOf(failed.reason, connectionsMax)
    const [client] = clients
    if (client !== undefined && !(await keepsSettings(client, statementTimeoutMs))) throw pooled()
  } finally {
    for (const client of clients) client.release()
  }
}

async function keepsSettings(client: PoolClient, statementTimeoutMs: number): Promise<boolean> {
  const { rows } = await client.query<{ setting: string }>(
    "select setting from pg_catalog.pg_settings where name = 'statement_timeout'",
  )
  return rows[0]?.setting === String(statementTimeoutMs)
}
