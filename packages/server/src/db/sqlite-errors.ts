import { memberOf } from '../lib/guards.ts'
import { DatabaseUnavailable, type Away } from './errors.ts'

/** Error codes of SQLite (sqlite.org/rescode.html), by prefix; the first match counts. */
const awayByCode: readonly (readonly [begins: string, away: Away])[] = [
  ['SQLITE_FULL', 'disk_full'],
  // The index of the write-ahead log is a file of its own, for which there is no space.
  ['SQLITE_IOERR_SHMSIZE', 'disk_full'],
  ['SQLITE_IOERR', 'disk_failed'],
  ['SQLITE_READONLY', 'read_only'],
  ['SQLITE_CANTOPEN', 'disk_failed'],
  ['SQLITE_CORRUPT', 'damaged'],
  ['SQLITE_NOTADB', 'damaged'],
]

/** Translates an error of SQLite: its disk is full or fails, its file is damaged; any other stays as it is. */
export function ofSqlite(error: unknown): unknown {
  const code = memberOf(error, 'code')
  if (typeof code !== 'string' || !code.startsWith('SQLITE_')) return error
  const away = awayByCode.find(([begins]) => code.startsWith(begins))?.[1]
  return away === undefined ? error : new DatabaseUnavailable(away, { cause: error })
}
