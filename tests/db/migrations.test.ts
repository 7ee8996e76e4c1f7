import { describe, expect, inject, test } from 'vitest'
import { StatementTimeout } from '../../packages/server/src/db/errors.ts'
import { migrate, migrationStatus, MigrationRefused } from '../../packages/server/src/db/migrate.ts'
import { migrations } from '../../packages/server/src/db/migrations/index.ts'
import type { Migration } from '../../packages/server/src/db/migrations/words.ts'
import type { PostgresDatabase } from '../../packages/server/src/db/postgres-database.ts'
import { until } from '../harness/until.ts'
import { dumpSchema } from './dump.ts'
import { connect, freshDatabase, freshPostgres, freshSqlite, freshUrl, migratedUrl, open } from './fresh.ts'

const latest = migrations.length
const another: Migration = { name: '9998-another', up: () => [], down: () => [] }
const yetAnother: Migration = { ...another, name: '9999-yet-another' }
const [baseline] = migrations
const failing: Migration = {
  name: '9998-failing',
  up: () => ['create table half_done (id integer)', 'create table half_done (id integer)'],
  down: () => [],
}

test('an empty database is at 0, and goes to the latest version', async () => {
  const database = open(await freshUrl())
  expect(await migrationStatus(database)).toEqual({
    current: 0,
    latest,
    applied: [],
    pending: migrations.map(({ name }) => name),
    isRolling: false,
    isNewerAndFits: false,
    connected: [],
  })
  const status = await migrate(database)
  expect(status).toMatchObject({ current: latest, latest, pending: [] })
  expect(status.applied.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name))
  // In milliseconds since 1970, as all times.
  expect(status.applied[0]!.applied_at).toBeGreaterThan(Date.UTC(2025, 0, 1))
  expect(status.applied[0]!.applied_at).toBeLessThan(Date.UTC(2200, 0, 1))
  expect(await migrate(database)).toEqual(status)
})

test('it goes to a version by number, forwards and backwards, and refuses one that is none', async () => {
  const database = open(await freshUrl())
  const known = [...migrations.slice(0, 1), another, yetAnother]
  expect(await migrate(database, { migrations: known, to: 2 })).toMatchObject({
    current: 2,
    pending: ['9999-yet-another'],
  })
  expect(await migrate(database, { migrations: known, to: 3 })).toMatchObject({ current: 3 })
  expect(await migrate(database, { migrations: known, to: 1 })).toMatchObject({ current: 1 })
  for (const to of [-1, 1.5, latest + 1])
    await expect(migrate(database, { to })).rejects.toThrow('There is no migration')
  expect((await migrationStatus(database)).current).toBe(1)
})

test('four nodes that start at once migrate once', async () => {
  const url = await freshUrl()
  const statuses = await Promise.all(Array.from({ length: 4 }, () => migrate(open(url, { connectionsMax: 2 }))))
  for (const status of statuses) expect(status).toEqual(statuses[0])
  expect(statuses[0]).toMatchObject({ current: latest, pending: [] })
  const alone = await freshDatabase()
  expect(await dumpSchema(open(url))).toBe(await dumpSchema(alone))
})

test('a migration that fails leaves nothing of itself, and those before it stay', async () => {
  const database = await freshDatabase()
  await expect(migrate(database, { migrations: [...migrations, failing] })).rejects.toThrow('half_done')
  expect((await migrationStatus(database)).current).toBe(latest)
  expect(await dumpSchema(database)).not.toContain('half_done')
  expect(await migrate(database)).toMatchObject({ current: latest })
})

test('a database that is newer than the code, or of another line, is refused with a sentence', async () => {
  const database = open(await freshUrl())
  await migrate(database, { migrations: [baseline!, another] })
  const older = migrate(database, { migrations: [baseline!] })
  await expect(older).rejects.toThrow(MigrationRefused)
  await expect(older).rejects.toThrow(
    'The database is newer than this version of Kontor: it has migration 2 (9998-another), and this version knows 1.',
  )
  await expect(migrate(database, { migrations: [baseline!, yetAnother] })).rejects.toThrow(
    'has migration 2 (9998-another), but this version of Kontor has 2 (9999-yet-another)',
  )
})

test('a database with all migrations before the baseline goes over, one with some of them is refused', async () => {
  const database = open(await freshUrl())
  await migrate(database, { to: 1 })
  const schema = await dumpSchema(database)
  const remember = (count: number) =>
    database.write((tx) =>
      tx.change(({ knex }) =>
        knex('kontor_migration').insert(
          Array.from({ length: count }, (_, index) => ({
            number: index + 1,
            name: ({ 0: '0001-fold', 80: '0126-passkeys' } as Record<number, string>)[index] ?? '0002-workspaces',
            applied_at: 1,
          })),
        ),
      ),
    )
  const forget = () => database.write((tx) => tx.change(({ knex }) => knex('kontor_migration').delete()))
  await forget()
  await remember(80)
  await expect(migrate(database)).rejects.toThrow('it has 80 of the migrations before it. Migrate it with the last')
  await forget()
  await remember(81)
  expect(await migrationStatus(database)).toMatchObject({ current: 0, pending: migrations.map(({ name }) => name) })
  const { applied } = await migrate(database)
  expect(applied.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name))
  await migrate(database, { to: 1 })
  expect(await dumpSchema(database)).toBe(schema)
})

describe.runIf(inject('database') === 'sqlite')('on SQLite', () => {
  test('the file has the settings that only an empty file takes', async () => {
    const { path } = await freshSqlite()
    const { driver } = connect(path)
    const settings = ['page_size', 'auto_vacuum', 'journal_mode'].map((name) => driver.pragma(name, { simple: true }))
    expect(settings).toEqual([8192, 2, 'wal'])
  })

  test('it says that it waits for another process, without holding up the event loop, and then goes on', async () => {
    const url = await migratedUrl()
    const database = open(url)
    const other = connect(url.slice('sqlite:'.length))
    other.exec('begin immediate')
    let waits = 0
    const onWait = () => {
      waits++
      // In a turn of the event loop that comes only if it is not held up.
      setImmediate(() => other.exec('commit'))
    }
    expect(await migrate(database, { onWait, migrations: [...migrations, another] })).toMatchObject({
      current: latest + 1,
    })
    expect(waits).toBe(1)
  })
})

describe.runIf(inject('database') === 'postgres')('on Postgres', () => {
  const lock = 'select pg_advisory_xact_lock(1802464884)'
  const waitsForLock = `select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`

  test('it says that it waits for another node, longer than a statement may take, and then goes on', async () => {
    const url = await migratedUrl()
    const limited = { statementTimeoutMs: 1000 }
    const database = open(url, limited)
    const beside = open(url, limited)
    const other = (open(url) as PostgresDatabase).pool
    const client = await other.connect()
    await client.query('begin')
    await client.query(lock)
    const waiting = Promise.withResolvers<void>()
    let waits = 0
    const onWait = () => {
      waits++
      waiting.resolve()
    }
    const migrated = migrate(database, { onWait, migrations: [...migrations, another] })
    await waiting.promise
    await until(async () => (await other.query(waitsForLock)).rowCount === 1, { what: 'the wait for the lock' })
    // A statement that is begun after that wait is at its limit; so the wait is beyond it.
    await expect(beside.reader.query(({ knex }) => knex.raw('select pg_sleep(60)'))).rejects.toThrow(StatementTimeout)
    await client.query('commit')
    client.release()
    expect(await migrated).toMatchObject({ current: latest + 1 })
    expect(waits).toBe(1)
  })

  test('a node that is cut off half-way leaves nothing, and the next one can go on', async () => {
    const { database } = await freshPostgres()
    const slow: Migration = {
      name: '9998-slow',
      up: () => ['create table half_done (id integer)', 'select pg_sleep(60)'],
      down: () => [],
    }
    const cutOff = migrate(database, { migrations: [...migrations, slow] })
    const ended = expect(cutOff).rejects.toThrow()
    const asleep =
      "select pg_terminate_backend(pid) from pg_stat_activity where query = 'select pg_sleep(60)' and " +
      'datname = current_database()'
    await until(async () => (await database.pool.query(asleep)).rowCount === 1, { what: 'the migration asleep' })
    await ended
    expect((await migrationStatus(database)).current).toBe(latest)
    expect(await dumpSchema(database)).not.toContain('half_done')
    expect(await migrate(database, { migrations: [...migrations, { ...slow, up: () => [] }] })).toMatchObject({
      current: latest + 1,
    })
  })
})
