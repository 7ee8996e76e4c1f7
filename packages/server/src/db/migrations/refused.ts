/** The database and this version of Kontor do not fit together; the message is for the operator. */
export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused'
}
