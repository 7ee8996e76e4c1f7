import { randomUUID } from 'node:crypto'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { migrate, migrationStatus, openConfigured, readConfig } from '@kontor/server/admin'
import { createDatabase, dropDatabase, ensureTemplate, terminateBackends } from './postgres.ts'

export type TestDatabase = ReturnType<typeof openConfigured>

/** A database of one test file: where it is, and how it goes. */
export type ScratchDatabase = { readonly url: string; readonly remove: () => Promise<void> }

export const openAt = (url: string, settings: Readonly<Record<string, string>> = {}): TestDatabase =>
  openConfigured(readConfig({ ...settings, DATABASE_URL: url }))

/** Brings an empty database to the newest schema. */
export async function migrateAt(url: string): Promise<void> {
  const database = openAt(url)
  await migrate(database)
  await database.close()
}

/** Returns the distribution of the tables of the database at `url`. */
export async function distributionAt(url: string) {
  const database = openAt(url)
  const { distribution } = await migrationStatus(database)
  await database.close()
  return distribution
}

/** Undoes the migrations after the baseline, and runs them again. */
export async function migrateAgain(url: string): Promise<void> {
  const database = openAt(url)
  await migrate(database, { to: 1 })
  await migrate(database)
  await database.close()
}

/** A migrated database of the kind that this run is on; on Postgres a copy of a template that is made once a run. */
export async function migratedDatabase(): Promise<ScratchDatabase> {
  if (inject('database') === 'postgres') {
    await ensureTemplate('kontor_template', migrateAt)
    const name = `app_${randomUUID().replaceAll('-', '')}`
    return { url: await createDatabase(name, 'kontor_template'), remove: () => dropDatabase(name) }
  }
  const scratch = await emptyDatabase()
  template ??= migratedFile()
  await copyFile(await template, pathOf(scratch.url))
  return scratch
}

/** An embedded database that a worker migrates once, and copies for each test file. */
let template: Promise<string> | undefined

async function migratedFile(): Promise<string> {
  const path = join(inject('sqliteFolder'), `template-${process.pid}.db`)
  await migrateAt(`sqlite:${path}`)
  return path
}

const pathOf = (url: string): string => url.slice('sqlite:'.length)

/** The same without a table in it, for those that migrate by themselves. */
export async function emptyDatabase(): Promise<ScratchDatabase> {
  if (inject('database') === 'postgres') {
    const name = `app_${randomUUID().replaceAll('-', '')}`
    return { url: await createDatabase(name), remove: () => dropDatabase(name) }
  }
  const folder = await mkdtemp(join(tmpdir(), 'kontor-app-'))
  return { url: `sqlite:${join(folder, 'kontor.db')}`, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** A copy of a database without writers meanwhile; processes that have it open stay, and connect to it again. */
export async function copiedDatabase(url: string): Promise<ScratchDatabase> {
  if (inject('database') === 'postgres') {
    const name = `app_${randomUUID().replaceAll('-', '')}`
    return { url: await copyOnceUnused(url, name), remove: () => dropDatabase(name) }
  }
  const scratch = await emptyDatabase()
  const [from, to] = [pathOf(url), pathOf(scratch.url)]
  // The file first: what is copied into it from the log meanwhile stands in the log still.
  for (const suffix of ['', '-wal']) await copyFile(`${from}${suffix}`, `${to}${suffix}`)
  return scratch
}

/** Listeners connect again at once: the copy is made in a moment in which none of them has. */
async function copyOnceUnused(url: string, name: string): Promise<string> {
  for (let tries = 1; ; tries++) {
    await terminateBackends(url)
    try {
      return await createDatabase(name, new URL(url).pathname.slice(1))
    } catch (error) {
      if (tries === 50) throw error
    }
  }
}

/**
 * Keeps all others from writing records until it is called, as a person does who works on the same database by hand.
 */
export async function holdWrites(url: string): Promise<() => Promise<void>> {
  const database = openAt(url)
  const holding = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const held = database.write(async (tx) => {
    if (inject('database') === 'postgres') await tx.query(({ knex }) => knex.raw('lock table record in exclusive mode'))
    holding.resolve()
    await released.promise
  })
  await Promise.race([holding.promise, held])
  return async () => {
    released.resolve()
    await held
    await database.close()
  }
}

/** Keeps all other connections from a table of Postgres, readers too, until it is called. */
export async function holdTable(url: string, table: string): Promise<() => Promise<void>> {
  const database = openAt(url)
  const holding = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const held = database.write(async (tx) => {
    await tx.query(({ knex }) => knex.raw('lock table ?? in access exclusive mode', [table]))
    holding.resolve()
    await released.promise
  })
  await Promise.race([holding.promise, held])
  return async () => {
    released.resolve()
    await held
    await database.close()
  }
}

/** Counts the connections to a database of Postgres that wait for a lock. */
export async function countWaiting(url: string): Promise<number> {
  const database = openAt(url)
  const [row] = await database.reader.query<{ waiting: number }>(({ knex }) =>
    knex('pg_stat_activity')
      .where('wait_event_type', 'Lock')
      .whereRaw('datname = current_database()')
      .count('* as waiting'),
  )
  await database.close()
  return Number(row?.waiting)
}
