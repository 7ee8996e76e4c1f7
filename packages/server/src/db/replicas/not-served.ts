import { DatabaseError } from 'pg'
import { DatabaseUnavailable } from '../errors.ts'

/** A replica does not serve a read: it lags, does not respond, or is no standby. The primary does. */
export class NotServed extends Error {
  override readonly name = 'NotServed'

  constructor(reason: string, options: ErrorOptions = {}) {
    super(`The replica does not serve the read: ${reason}`, options)
  }
}

/**
 * Returns whether a read failed because of the replica: it stopped, ended the read for its primary (40001), or lacks
 * what a migration has just made. On the primary it may succeed; whatever else went wrong would go wrong there too.
 */
export const isFaultOfReplica = (error: unknown): boolean =>
  error instanceof NotServed || error instanceof DatabaseUnavailable || error instanceof DatabaseError
