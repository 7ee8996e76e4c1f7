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

/** Two transactions met; the work is run again from its beginning. */
export class SerialisationFailure extends Error {
  override readonly name = 'SerialisationFailure'
}
