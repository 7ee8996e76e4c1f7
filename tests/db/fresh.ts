import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject, onTestFinished } from 'vitest'
import { openDatabase, type DatabaseOptions } from '../../packages/server/src/db/open.ts'
import { PostgresDatabase } from '../../packages/server/src/db/postgres-database.ts'
import { SqliteConnection } from '../../packages/server/src/db/sqlite-connection.ts'
import { SqliteDatabase } from '../../packages/server/src/db/sqlite-database.ts'
import { migratedDatabase } from '../harness/database.ts'
import { createDatabase, dropDatabase } from '../harness/postgres.ts'

/** The workspace that rows are written under, where it does not matter whose they are. */
export const workspaceId = '01900000-0000-7000-8000-000000000000'
export const key = (number: number): string => `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`

type Options = Partial<Omit<DatabaseOptions, 'url'>>

/** The URL of an empty database of the kind that this run is on; it goes when the test has finished. */
export async function freshUrl(): Promise<string> {
  if (inject('database') === 'postgres') {
    const name = `db_${randomUUID().replaceAll('-', '')}`
    onTestFinished(() => dropDatabase(name))
    return createDatabase(name)
  }
  const folder = await mkdtemp(join(tmpdir(), 'kontor-db-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return `sqlite:${join(folder, 'kontor.db')}`
}

/** Opens the database at a URL until the test has finished. */
export function open(url: string, options: Options = {}): SqliteDatabase | PostgresDatabase {
  const database = openDatabase({ statementTimeoutMs: 5000, connectionsMax: 8, readersMax: 2, ...options, url })
  onTestFinished(() => database.close())
  return database
}

/** The same with all tables in it: a copy, since to migrate takes many times as long. */
export async function migratedUrl(): Promise<string> {
  const { url, remove } = await migratedDatabase()
  onTestFinished(remove)
  return url
}

export const freshDatabase = async (options?: Options): Promise<SqliteDatabase | PostgresDatabase> =>
  open(await migratedUrl(), options)

/** One more connection to a SQLite file, as another process would have it. */
export function connect(path: string): SqliteConnection {
  const connection = new SqliteConnection(path)
  onTestFinished(() => connection.close())
  return connection
}

/** For the tests of one database alone. */
export async function freshSqlite(options?: Options): Promise<{ database: SqliteDatabase; url: string; path: string }> {
  const url = await migratedUrl()
  const database = open(url, options)
  if (!(database instanceof SqliteDatabase)) throw new Error('This test is for SQLite')
  return { database, url, path: url.slice('sqlite:'.length) }
}

export async function freshPostgres(options?: Options): Promise<{ database: PostgresDatabase; url: string }> {
  const url = await migratedUrl()
  const database = open(url, options)
  if (!(database instanceof PostgresDatabase)) throw new Error('This test is for Postgres')
  return { database, url }
}
