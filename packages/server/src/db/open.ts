import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { PostgresDatabase } from './postgres-database.ts'
import type { ReplicaOptions } from './replicas/index.ts'
import { refuseIncomplete } from './sqlite-incomplete.ts'
import { refuseForeignLog } from './sqlite-stale-log.ts'
import { SqliteDatabase } from './sqlite-database.ts'

export type DatabaseOptions = {
  /** `sqlite:PATH` or `postgres://…`. */
  readonly url: string
  /** Postgres itself, for notifications, where `url` leads to a pooler that shares connections. */
  readonly listenUrl?: string | undefined
  readonly statementTimeoutMs: number
  readonly connectionsMax: number
  /** Reader processes for offloaded reads, on SQLite; each takes some 20 MB once it is needed. */
  readonly readersMax: number
  /** Standbys of Postgres that serve reads. */
  readonly replicas?: ReplicaOptions | undefined
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
