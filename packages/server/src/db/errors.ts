/** The database has no capacity for the request at the moment: nothing was changed, and a retry later may succeed. */
export class DatabaseOverloaded extends Error {
  override readonly name: string = 'DatabaseOverloaded'
}

/**
 * The queue is full. The request is refused at once, and often enough where it happens that it is not logged each time.
 */
export class DatabaseCrowded extends DatabaseOverloaded {
  override readonly name = 'DatabaseCrowded'
}

/** The statement timeout was exceeded: the query is too expensive at the moment. */
export class StatementTimeout extends DatabaseOverloaded {
  override readonly name = 'StatementTimeout'
}

/** The rows of one statement take more memory than it may have, or than there is. */
export class RowsTooLarge extends DatabaseOverloaded {
  override readonly name = 'RowsTooLarge'
}

/**
 * Why a database is unavailable: it does not answer, a connection broke, it is read-only, its disk is full or fails,
 * its file is damaged, or was replaced or deleted while it was open, a node of a distributed one does not answer, it
 * was migrated to a version that this process does not know (`outdated`); `unknown` if the connection broke at the
 * commit, so that the change may have been made.
 */
export type Away =
  | 'unreachable'
  | 'lost'
  | 'read_only'
  | 'disk_full'
  | 'disk_failed'
  | 'damaged'
  | 'replaced'
  | 'node_lost'
  | 'outdated'
  | 'unknown'

/** The database must not be opened as it is; the message is for the operator. */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused'
}

/** The database cannot do its work at the moment. Nothing was changed, unless `away` is `unknown`. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
  readonly away: Away

  constructor(away: Away, options: ErrorOptions = {}) {
    super(`The database does not respond: ${away.replace('_', ' ')}`, options)
    this.away = away
  }
}

/** Returns whether a node of a distributed database does not answer: the workspaces on the others can be served. */
export const isNodeLost = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable && error.away === 'node_lost'

/**
 * Returns whether a database that is unavailable may be so for the workspace of the statement only: for all workspaces
 * of a node, or for one commit.
 */
export const isAwayInPart = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable && (error.away === 'node_lost' || error.away === 'unknown')

/** A unique value that was inserted in the hope that it is free has a holder. */
export class UniqueValueTaken extends Error {
  override readonly name = 'UniqueValueTaken'
}

/** A statement computes a number that is too large for its type. */
export class NumberOutOfRange extends Error {
  override readonly name = 'NumberOutOfRange'
}

/** Two transactions conflicted; the work runs again from its beginning. */
export class SerialisationFailure extends Error {
  override readonly name = 'SerialisationFailure'
}
