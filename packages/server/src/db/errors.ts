/** The statement timeout struck: the query is too heavy for the moment. */
export class StatementTimeout extends Error {
  override readonly name = 'StatementTimeout'
}

/** Two transactions met; the work is run again from its beginning. */
export class SerialisationFailure extends Error {
  override readonly name = 'SerialisationFailure'
}
