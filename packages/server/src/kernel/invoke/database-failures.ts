import {
  DatabaseCrowded,
  DatabaseOverloaded,
  DatabaseUnavailable,
  RowsTooLarge,
  StatementTimeout,
  type Away,
} from '../../db/errors.ts'
import { PoolBusy } from '../../pool/task.ts'
import { Failure } from '../errors.ts'

/** The text for the caller, and when to retry: a broken connection is soon replaced, a full disk takes longer. */
const answers: Readonly<Record<Away, readonly [detail: string, retryAfterSeconds: number]>> = {
  unreachable: ['The database does not respond; try again.', 2],
  lost: ['The connection to the database was lost, and nothing was changed; try again.', 1],
  read_only: ['The database is read-only at the moment; reads still work.', 5],
  disk_full: ['The disk of the database is full, and nothing was changed; reads may still work.', 5],
  disk_failed: ['The disk of the database does not work properly, and nothing was changed; try again.', 5],
  damaged: ['The file of the database is damaged; the operator must restore a backup.', 60],
  replaced: ['The file of the database was replaced or deleted; the operator must restart the server.', 60],
  node_lost: [
    'The part of the database that contains this workspace does not respond, and nothing was changed; try again.',
    2,
  ],
  outdated: ['This server is of an older version than the database and is being replaced; try again.', 2],
  unknown: [
    'The connection to the database was lost during the change, which may have been committed. Send it again with ' +
      'the same Idempotency-Key: it then runs only once. If you sent no key, check first.',
    1,
  ],
}

/**
 * Turns an unavailable or overloaded database, or a pool of processes without a place, into a 503 with `Retry-After`;
 * any other error stays as it is.
 */
export function toFailure(error: unknown): unknown {
  if (error instanceof PoolBusy)
    return new Failure(
      { code: 'overloaded', detail: 'Too many requests of this kind are waiting; try again.' },
      { cause: error, retryAfterSeconds: 5 },
    )
  if (error instanceof DatabaseUnavailable) {
    const [detail, retryAfterSeconds] = answers[error.away]
    return new Failure({ code: 'unavailable', detail }, { cause: error, retryAfterSeconds })
  }
  if (error instanceof DatabaseCrowded)
    return new Failure(
      { code: 'overloaded', detail: 'Too many requests are waiting for the database; try again.' },
      { retryAfterSeconds: 1 },
    )
  if (!(error instanceof DatabaseOverloaded)) return error
  const detail =
    error instanceof RowsTooLarge
      ? 'The records are too large to be read together; request fewer records or fewer fields.'
      : error instanceof StatementTimeout
        ? 'The query took too long; narrow it, or try again.'
        : 'The database is busy; try again.'
  return new Failure({ code: 'overloaded', detail }, { cause: error, retryAfterSeconds: 5 })
}
