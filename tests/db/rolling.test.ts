import { describe, expect, inject, test } from 'vitest'
import { DatabaseRefused } from '../../packages/server/src/db/errors.ts'
import { migrate, migrateUnserved, migrationStatus, MigrationRefused } from '../../packages/server/src/db/migrate.ts'
import { migrations } from '../../packages/server/src/db/migrations/index.ts'
import type { Migration } from '../../packages/server/src/db/migrations/words.ts'
import { openDatabase } from '../../packages/server/src/db/open.ts'
import type { PostgresDatabase } from '../../packages/server/src/db/postgres-database.ts'
import { freshDatabase, freshPostgres, freshSqlite, key, open } from './fresh.ts'

const latest = migrations.length
const rolling: Migration = {
  name: '9998-rolling',
  rolling: true,
  up: () => ['alter table record add column next_version text'],
  down: () => ['alter table record drop column next_version'],
}
const strict: Migration = { name: '9999-strict', up: () => [], down: () => [] }

const join = (database: ReturnType<typeof open>): Promise<void> => (database as PostgresDatabase).join()

test('a database with rolling migrations that a version does not know is one that it starts on', async () => {
  const database = await freshDatabase()
  const next = [...migrations, rolling]
  expect(await migrationStatus(database, next)).toMatchObject({
    pending: ['9998-rolling'],
    isRolling: inject('database') === 'postgres',
  })
  await migrate(database, { migrations: next })
  expect(await migrate(database)).toMatchObject({ current: latest + 1, latest, pending: [], isNewerAndFits: true })
  await expect(migrate(database, { to: 1 })).rejects.toThrow('which this version of Kontor does not know')
  await migrate(database, { migrations: [...next, strict] })
  expect(await migrationStatus(database)).toMatchObject({ isNewerAndFits: false })
  await expect(migrate(database)).rejects.toThrow('it has migration')
  await migrate(database, { migrations: [...next, strict], to: latest })
  expect(await migrate(database)).toMatchObject({ current: latest, isNewerAndFits: false })
})

describe.runIf(inject('database') === 'postgres')('on Postgres', () => {
  test('a migration that is not rolling waits until no older process is connected, like a way back', async () => {
    const { database: beside, url } = await freshPostgres()
    const next = [...migrations, rolling, strict]
    const database = openDatabase({ url, statementTimeoutMs: 5000, connectionsMax: 8, readersMax: 2 })
    await join(database)
    const refused = migrate(beside, { migrations: next })
    await expect(refused).rejects.toThrow(MigrationRefused)
    await expect(refused).rejects.toThrow('Servers or workers of an older version are connected: 1 (')
    expect(await migrationStatus(beside, next)).toMatchObject({
      current: latest,
      isRolling: false,
      connected: [{ known: latest }],
    })
    await expect(migrate(beside, { to: 1 })).rejects.toThrow('Servers or workers are connected: 1 (')
    await migrate(beside, { migrations: [...migrations, rolling] })
    await database.close()
    await expect.poll(async () => (await migrationStatus(beside)).connected).toEqual([])
    expect(await migrate(beside, { migrations: next })).toMatchObject({ current: latest + 2 })
  })

  test('a process that has joined refuses all work after a migration that has not seen it', async () => {
    const { database, url } = await freshPostgres()
    await join(database)
    const beside = open(url)
    await beside.write((tx) =>
      tx.change(({ knex }) =>
        knex('kontor_migration').insert({ number: latest + 1, name: strict.name, applied_at: 0, rolling: false }),
      ),
    )
    await beside.write((tx) =>
      tx.change(({ knex }) => knex.raw(`select pg_notify('kontor', '{"message":{"name":"migrated"}}')`)),
    )
    expect(String(await database.outdated)).toContain(`was migrated to migration ${latest + 1}`)
    const away = { away: 'outdated' }
    await expect(database.ping()).rejects.toMatchObject(away)
    await expect(database.write(async (tx) => tx.query(({ knex }) => knex.raw('select 1')))).rejects.toMatchObject(away)
    await expect(database.reader.query(({ knex }) => knex.raw('select 1'))).rejects.toMatchObject(away)
    await expect(join(beside)).rejects.toThrow('was migrated to migration')
  })

  test('a change of a process that does not know the schema is refused, or that tells no number', async () => {
    const { database, url } = await freshPostgres()
    const begins = async (known?: number) => {
      const args = [key(1), 1, ...(known === undefined ? [] : [known])].map((value) => `'${value}'`)
      await database.pool.query(`select * from kontor_begin_change(${args.join(', ')})`)
    }
    await migrate(open(url), { migrations: [...migrations, rolling] })
    for (const known of [latest, latest + 1]) await begins(known)
    await migrate(open(url), { migrations: [...migrations, rolling, strict] })
    for (const known of [undefined, latest, latest + 1])
      await expect(begins(known)).rejects.toMatchObject({ code: 'KN001' })
    await begins(latest + 2)
    await migrate(open(url), { migrations: [...migrations, rolling, strict], to: latest + 1 })
    await begins(latest)
    await expect(begins()).rejects.toMatchObject({ code: 'KN001' })
  })

  test('a rolling migration that waits for a lock lets others through in between', async () => {
    const { database, url } = await freshPostgres()
    const holder = await database.pool.connect()
    await holder.query('begin')
    await holder.query('lock table record in access share mode')
    const migrated = migrate(open(url), { migrations: [...migrations, rolling] })
    const waits = "select 1 from pg_locks where locktype = 'relation' and not granted and mode = 'AccessExclusiveLock'"
    await expect.poll(async () => (await database.pool.query(waits)).rowCount, { timeout: 30_000 }).toBe(1)
    // It would wait for the migration, and that for the holder.
    await database.pool.query('select count(*) from record')
    await holder.query('commit')
    holder.release()
    expect(await migrated).toMatchObject({ current: latest + 1 })
  })
})

test.runIf(inject('database') === 'sqlite')('a command migrates no file that a server has', async () => {
  const { database, url } = await freshSqlite()
  database.lock(() => 0)
  const beside = open(url)
  expect(await migrateUnserved(beside)).toMatchObject({ current: latest })
  const refused = migrateUnserved(beside, { migrations: [...migrations, rolling] })
  await expect(refused).rejects.toThrow(DatabaseRefused)
  await expect(refused).rejects.toThrow('A server is running on')
  await database.close()
  expect(await migrateUnserved(beside, { migrations: [...migrations, rolling] })).toMatchObject({ current: latest + 1 })
})
