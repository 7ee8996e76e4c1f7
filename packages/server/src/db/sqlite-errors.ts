import { DatabaseUnavailable, type Away } from './errors.ts'

/** What SQLite says (sqlite.org/rescode.html), by the beginning of its code; the first that fits counts. */
const awayByCode: readonly (readonly [begins: string, away: Away])[] = [
  ['SQLITE_FULL', 'disk_full'],
  // The index of the log is a file of its own, which finds no room.
  ['SQLITE_IOERR_SHMSIZE', 'disk_full'],
  ['SQLITE_IOERR', 'disk_failed'],
  ['SQLITE_READONLY', 'read_only'],
  ['SQLITE_CANTOPEN', 'disk_failed'],
]

/** An error of SQLite in our own words: its disk is full, or does not work; any other as it is. */
export function ofSqlite(error: unknown): unknown {
  const { code } = error as { readonly code?: unknown }
  if (typeof code !== 'string' || !code.startsWith('SQLITE_')) return error
  const away = awayByCode.find(([begins]) => code.startsWith(begins))?.[1]
  return away === undefined ? error : new DatabaseUnavailable(away, { cause: error })
}
