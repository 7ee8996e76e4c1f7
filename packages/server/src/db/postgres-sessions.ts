import { Client, type Pool, type PoolClient } from 'pg'
import { memberOf } from '../lib/guards.ts'
import { DatabaseRefused } from './errors.ts'
import { sessionSettings } from './postgres-pool.ts'

/** Connections that a server needs at the same time: for reads, for a change, and for notices of other servers. */
const neededAtOnce = 3

type Options = {
  readonly url: string
  readonly listenUrl?: string | undefined
  readonly connectionsMax: number
  readonly statementTimeoutMs: number
}

/** The pooler refuses what a connection begins with (protocol_violation). */
const protocolViolation = '08P01'
const tooManyConnections = '53300'
/** A prepared statement is there already, or is not there. */
const unexpectedStatement: ReadonlySet<unknown> = new Set(['42P05', '26000'])
/** NOTIFY on a standby. */
const readOnly = '25006'

const guide = '("Connection poolers" in the guide to operation)'

const pooled = (): DatabaseRefused =>
  new DatabaseRefused(
    'DATABASE_URL leads to a pooler that does not keep the settings of a connection. Connect to Postgres directly; ' +
      'or let the pooler pool sessions and pass "options" on; or, if it is to share connections between ' +
      `transactions, set DATABASE_LISTEN_URL to the address of Postgres itself ${guide}.`,
  )

const withoutLimits = (statementTimeoutMs: number): DatabaseRefused =>
  new DatabaseRefused(
    'Behind a pooler that shares connections, the role of DATABASE_URL must have the time limits of Kontor. Run, ' +
      `with the name of the role: ${statementsFor(statementTimeoutMs)}. Then restart the pooler ${guide}.`,
  )

const statementsFor = (statementTimeoutMs: number): string =>
  Object.entries(sessionSettings(statementTimeoutMs))
    .map(([name, value]) => `alter role kontor set ${name} = ${value}`)
    .join('; ')

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
  if (unexpectedStatement.has(code))
    return new DatabaseRefused(
      'DATABASE_URL leads to a pooler that does not know prepared statements. PgBouncer does from version 1.21 on, ' +
        `with max_prepared_statements above 0 ${guide}.`,
      { cause: error },
    )
  const isOfOptions = code === protocolViolation && /startup parameter/.test(String(memberOf(error, 'message')))
  return isOfOptions ? pooled() : error
}

/**
 * Refuses a Postgres on which the server would fail later: with too few connections, or behind a pooler that gives each
 * transaction another session without what Kontor needs there: time limits, prepared statements and notifications.
 */
export async function requireSessions(pool: Pool, options: Options): Promise<void> {
  try {
    await checkConnections(pool, options)
    if (await isHeard(pool, options)) return
  } catch (error) {
    throw refusalOf(error, options.connectionsMax)
  }
  if (options.listenUrl === undefined) throw pooled()
  throw new DatabaseRefused(
    'Notifications that are sent through DATABASE_URL do not arrive at DATABASE_LISTEN_URL. It must lead to the same ' +
      `database without a pooler that shares connections ${guide}.`,
  )
}

async function checkConnections(pool: Pool, { connectionsMax, listenUrl, ...options }: Options): Promise<void> {
  const count = Math.min(neededAtOnce, connectionsMax)
  const opened = await Promise.allSettled(Array.from({ length: count }, () => pool.connect()))
  const clients = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  try {
    const failed = opened.find((one) => one.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    // In turn: a pooler runs them on one connection, where the second finds the statement of the first.
    for (const client of clients) {
      const hasLimit = await hasTimeLimit(client, options.statementTimeoutMs)
      if (!hasLimit) throw listenUrl === undefined ? pooled() : withoutLimits(options.statementTimeoutMs)
    }
  } finally {
    for (const client of clients) client.release()
  }
}

/** Asks by a prepared statement, which a pooler that shares connections may not know. */
async function hasTimeLimit(client: PoolClient, statementTimeoutMs: number): Promise<boolean> {
  const { rows } = await client.query<{ setting: string }>({
    name: 'kontor_start',
    text: "select setting from pg_catalog.pg_settings where name = 'statement_timeout'",
  })
  return rows[0]?.setting === String(statementTimeoutMs)
}

/** Returns whether a notification that a connection of the pool sends arrives at one that listens. */
async function isHeard(pool: Pool, { url, listenUrl }: Options): Promise<boolean> {
  const client = new Client({ connectionString: listenUrl ?? url, application_name: 'kontor-start' })
  const sent = `${process.pid} ${process.hrtime.bigint()}`
  let heard = false
  client.on('error', () => undefined)
  client.on('notification', ({ payload }) => (heard ||= payload === sent))
  await client.connect().catch((error: unknown) => {
    const code = memberOf(error, 'code')
    if (listenUrl === undefined || code === tooManyConnections) throw error
    throw new DatabaseRefused(`DATABASE_LISTEN_URL accepts no connection (${String(code)}).`, { cause: error })
  })
  try {
    await client.query('listen kontor_start')
    await pool.query('select pg_notify($1, $2)', ['kontor_start', sent])
    // Postgres delivers what was sent before the end of the next statement.
    await client.query('select 1')
    return heard
  } catch (error) {
    if (memberOf(error, 'code') === readOnly) return true
    throw error
  } finally {
    await client.end()
  }
}
