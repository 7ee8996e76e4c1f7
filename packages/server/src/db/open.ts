import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { PostgresDatabase, type PostgresOptions } from './postgres-database.ts'
import { refuseIncomplete } from './sqlite-incomplete.ts'
import { refuseForeignLog } from './sqlite-stale-log.ts'
import { SqliteDatabase } from './sqlite-database.ts'

/** Options of either database; the URL is `sqlite:PATH` or `postgres://…`. */
export type DatabaseOptions = PostgresOptions & {
  /** Reader processes for offloaded reads, on SQLite; each takes some 20 MB once it is needed. */
  readonly readersMax: number
}

/** Opens either database by its URL; creates the folder of a SQLite file. */
export function openDatabase(options: DatabaseOptions): SqliteDatabase | PostgresDatabase {
  if (!options.url.startsWith('sqlite:')) return new PostgresDatabase(options)
  const path = options.url.slice('sqlite:'.length)
  mkdirSync(dirname(path), { recursive: true })
  refuseForeignLog(path)
  refuseIncomplete(path)
  return new SqliteDatabase({ ...options, path })
}
