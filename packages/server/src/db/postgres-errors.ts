import { DatabaseError } from 'pg'
import { memberOf } from '../lib/guards.ts'
import {
  DatabaseOverloaded,
  DatabaseUnavailable,
  NumberOutOfRange,
  StatementTimeout,
  UniqueValueTaken,
  type Away,
} from './errors.ts'
import { outdatedCode } from './migrations/schema-floor.ts'

/** Error codes of Postgres (its appendix "PostgreSQL Error Codes"). */
const awayByCode: Readonly<Record<string, Away>> = {
  '25006': 'read_only', // read_only_sql_transaction: a standby, or default_transaction_read_only
  '25P03': 'lost', // idle_in_transaction_session_timeout
  '28000': 'unreachable', // invalid_authorization_specification: only while connecting, as the next two
  '28P01': 'unreachable', // invalid_password: it was changed, and the server does not have the new one yet
  '3D000': 'unreachable', // invalid_catalog_name: the database is not there
  '53000': 'unreachable', // insufficient_resources
  '53100': 'disk_full',
  '53200': 'unreachable', // out_of_memory
  '53300': 'unreachable', // too_many_connections
  '57P01': 'lost', // admin_shutdown, pg_terminate_backend
  '57P02': 'lost', // crash_shutdown
  '57P03': 'unreachable', // cannot_connect_now: it starts, stops or recovers
  '57P04': 'lost', // database_dropped
  '57P05': 'lost', // idle_session_timeout
  '58000': 'disk_failed', // system_error
  '58030': 'disk_failed', // io_error
  '58P01': 'disk_failed', // undefined_file: one of its own
  [outdatedCode]: 'outdated',
}

/**
 * System calls that fail while a connection is being made. An open connection fails in reads and writes, for many
 * reasons.
 */
const connectingCalls = new Set(['connect', 'getaddrinfo'])

/** Error codes of Node.js for sockets and TLS. */
const socketCode = /^ERR_(SSL|TLS|STREAM|SOCKET)_|^ECONNRESET$|^EPIPE$/

/**
 * Messages of pg and pg-pool, which have no codes: for connections that broke or hang, and for those that could not be
 * made.
 */
const lostText = /^Connection terminated|not queryable$|^Query read timeout$|socket has been ended by the other party/
const unreachableText = /^timeout expired$|^Connection terminated due to connection timeout$/

/** The message of pg-pool when no connection was free in time. */
const poolTimeout = 'timeout exceeded when trying to connect'

/** `query_canceled`: the statement timeout was exceeded. */
const queryCanceled = '57014'

/** `unique_violation` */
const uniqueViolation = '23505'

/** `internal_error`: also said by Citus, where it passes on the text of a node without its code. */
const internalError = 'XX000'

/**
 * The source file in which Citus copies the rows of an `insert … select` to a node. It passes on the text of the node,
 * or says `io_error` if there is none.
 */
const fileOfCopies = 'multi_copy.c'

/** Matches the text of a deadlock, and of a node that ends its connections, in the language of Postgres itself. */
const deadlockText = /^deadlock detected$/
const endedText = /^terminating connection /

/** Matches the primary key of unique values, of a shard too, in quotation marks of any language. */
const keyOfValues = /\bunique_key_pkey(_\d+)?\b/

/** `numeric_value_out_of_range` */
const outOfRange = '22003'

/** `configuration_limit_exceeded`: a query needed more space for sorting than `temp_file_limit` allows. */
const limitExceeded = '53400'

/**
 * `object_not_in_prerequisite_state`: said to who connects, that the database takes no connections; anything else that
 * it says is a mistake of ours. The texts come in the language of the server, the name of its source file does not.
 */
const notInState = '55000'
const fileOfConnecting = 'postinit.c'

const ioError = '58030'

/** `protocol_violation`: a mistake in what was sent, or a pooler that refuses it. */
const protocolViolation = '08P01'

/** Returns whether Citus has passed on what a node has said about copied rows, of which only the text is left. */
const isSaidInCopy = (error: Error): boolean =>
  memberOf(error, 'code') === internalError && memberOf(error, 'file') === fileOfCopies

/**
 * Returns whether a node has ended its connection to the coordinator, whose own says so with another severity. That one
 * is translated: where it is, the node counts as the database.
 */
const isNodeEnding = (error: Error): boolean =>
  error instanceof DatabaseError &&
  ((error.severity === 'ERROR' && awayByCode[error.code ?? ''] === 'lost') ||
    (isSaidInCopy(error) && endedText.test(error.message)))

function awayOf(error: NodeJS.ErrnoException): Away | undefined {
  const { code = '', message, syscall } = error
  if (unreachableText.test(message)) return 'unreachable'
  if (lostText.test(message)) return 'lost'
  // The socket of a local Postgres is a file, which disappears when the server stops: any code counts.
  if (syscall !== undefined) return connectingCalls.has(syscall) ? 'unreachable' : 'lost'
  // Said by a Postgres that answers: Citus does not reach the node that holds the rows.
  if (error instanceof DatabaseError && code.startsWith('08') && code !== protocolViolation) return 'node_lost'
  if ((code === ioError && memberOf(error, 'file') === fileOfCopies) || isNodeEnding(error)) return 'node_lost'
  if (code === notInState && memberOf(error, 'file') === fileOfConnecting) return 'unreachable'
  return awayByCode[code] ?? (code.startsWith('08') || socketCode.test(code) ? 'lost' : undefined)
}

/** A distributed database names the constraint only in its text, and its code may be missing. */
function isValueTaken(error: Error): boolean {
  if (memberOf(error, 'code') !== uniqueViolation && !isSaidInCopy(error)) return false
  return keyOfValues.test(`${String(memberOf(error, 'constraint'))} ${error.message}`)
}

/** Translates an error of pg: the database is unavailable or overloaded; any other error stays as it is. */
export function ofPostgres(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code = memberOf(error, 'code')
  if (code === limitExceeded) return new DatabaseOverloaded('A limit of Postgres was reached', { cause: error })
  if (code === queryCanceled) return new StatementTimeout('The statement timeout struck', { cause: error })
  if (code === outOfRange) return new NumberOutOfRange(error.message, { cause: error })
  if (isValueTaken(error)) return new UniqueValueTaken('A unique value has a holder', { cause: error })
  if (error.message === poolTimeout)
    return new DatabaseOverloaded('No connection to Postgres was free in time', { cause: error })
  const away = awayOf(error)
  return away === undefined ? error : new DatabaseUnavailable(away, { cause: error })
}

/** Matches the message of pg for a statement that it did not send, since the connection had broken before. */
const unsentText = /not queryable$/

/**
 * Translates an error of a COMMIT. The change is known not to have been made only if the COMMIT was never sent, or if
 * Postgres itself refused it and the connection survived. Citus says `internal_error`, with several texts, where a node
 * is lost meanwhile.
 */
export function ofCommit(error: unknown): unknown {
  const told = ofPostgres(error)
  if (error instanceof Error && unsentText.test(error.message)) return told
  const isRefused =
    error instanceof DatabaseError && error.code !== internalError && !isLost(told) && !isNodeEnding(error)
  return isRefused ? told : new DatabaseUnavailable('unknown', { cause: error })
}

/** Returns whether Postgres itself said that a statement failed: it then does not commit, even if it ends itself. */
export const isSaidByPostgres = (error: unknown): boolean =>
  error instanceof DatabaseError || memberOf(error, 'cause') instanceof DatabaseError

/** `serialization_failure` and `deadlock_detected`: the same work may well succeed when it runs again. */
const metOthers: ReadonlySet<unknown> = new Set(['40001', '40P01'])

export const hasMetOthers = (error: unknown): boolean =>
  metOthers.has(memberOf(error, 'code')) ||
  (error instanceof DatabaseError && isSaidInCopy(error) && deadlockText.test(error.message))

/**
 * Returns whether a connection broke during work that has changed nothing; on another connection it may well succeed.
 */
export const isLost = (error: unknown): boolean => error instanceof DatabaseUnavailable && error.away === 'lost'

/** Returns whether the database was migrated to a version that this process does not know. */
export const isOutdated = (error: unknown): boolean => error instanceof DatabaseUnavailable && error.away === 'outdated'
