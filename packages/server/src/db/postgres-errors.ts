import { DatabaseOverloaded, DatabaseUnavailable, StatementTimeout, type Away } from './errors.ts'

/** What Postgres says (its appendix "PostgreSQL Error Codes"). */
const awayByCode: Readonly<Record<string, Away>> = {
  '25006': 'read_only', // read_only_sql_transaction: a standby, or default_transaction_read_only
  '25P03': 'lost', // idle_in_transaction_session_timeout
  '53100': 'disk_full',
  '53200': 'unreachable', // out_of_memory
  '53300': 'unreachable', // too_many_connections
  '57P01': 'lost', // admin_shutdown, pg_terminate_backend
  '57P02': 'lost', // crash_shutdown
  '57P03': 'unreachable', // cannot_connect_now: it starts, stops or recovers
  '57P05': 'lost', // idle_session_timeout
  '58030': 'disk_failed', // io_error
  // And the system, of a connection that is being made or has broken.
  ECONNREFUSED: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ENOTFOUND: 'unreachable',
  EAI_AGAIN: 'unreachable',
  ECONNRESET: 'lost',
  EPIPE: 'lost',
  ETIMEDOUT: 'lost',
}

/** What pg and pg-pool say, which have no codes: of connections that broke or hang, and of those that could not be made. */
const lostText = /^Connection terminated|not queryable$|^Query read timeout$|socket has been ended by the other party/
const unreachableText = /^timeout expired$|^Connection terminated due to connection timeout$/

/** What pg-pool says when no connection was free in time. */
const poolTimeout = 'timeout exceeded when trying to connect'

/** `query_canceled`: the statement timeout struck. */
const queryCanceled = '57014'

function awayOf({ code = '', message, syscall }: NodeJS.ErrnoException): Away | undefined {
  if (unreachableText.test(message)) return 'unreachable'
  if (lostText.test(message)) return 'lost'
  // The socket of a Postgres on this machine is a file, which goes when it stops.
  if (syscall === 'connect') return 'unreachable'
  return awayByCode[code] ?? (code.startsWith('08') ? 'lost' : undefined)
}

/** An error of pg in our own words: the database is away, or has too much to do; any other as it is. */
export function ofPostgres(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if ((error as NodeJS.ErrnoException).code === queryCanceled) return new StatementTimeout('The statement timeout struck', { cause: error })
  if (error.message === poolTimeout) return new DatabaseOverloaded('No connection to Postgres was free in time', { cause: error })
  const away = awayOf(error)
  return away === undefined ? error : new DatabaseUnavailable(away, { cause: error })
}

/** Whether a connection broke beneath work that has changed nothing: run again on another, it may well succeed. */
export const isLost = (error: unknown): boolean => error instanceof DatabaseUnavailable && error.away === 'lost'
