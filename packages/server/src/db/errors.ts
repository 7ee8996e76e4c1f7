/** The database has no room for the request at the moment: nothing was changed, and trying again later may succeed. */
export class DatabaseOverloaded extends Error {
  override readonly name: string = 'DatabaseOverloaded'
}

/** As many wait already as may: told at once, and so often where it happens that nobody wants to read each in the log. */
export class DatabaseCrowded extends DatabaseOverloaded {
  override readonly name = 'DatabaseCrowded'
}

/** The statement timeout struck: the query is too heavy for the moment. */
export class StatementTimeout extends DatabaseOverloaded {
  override readonly name = 'StatementTimeout'
}

/**
 * Why a database is away: it does not answer, a connection broke, it takes no changes, its disk is full or fails; `unknown`
 * where the connection broke at the commit, so that the change may have been made.
 */
export type Away = 'unreachable' | 'lost' | 'read_only' | 'disk_full' | 'disk_failed' | 'unknown'

/** The database cannot do its work at the moment. Nothing was changed, unless `away` is `unknown`. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
  readonly away: Away

  constructor(away: Away, options: ErrorOptions = {}) {
    super(`The database is away: ${away.replace('_', ' ')}`, options)
    this.away = away
  }
}

/** Two transactions met; the work is run again from its beginning. */
export class SerialisationFailure extends Error {
  override readonly name = 'SerialisationFailure'
}
