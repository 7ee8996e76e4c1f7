import { distribute, distributionOf, isWhole, type DistributeOptions, type Distribution } from './distribution/index.ts'
import { baselineStep } from './migrations/baseline-step.ts'
import { connectedProcesses, type ConnectedProcess } from './migrations/connected.ts'
import { checkHistory, isNewerAndFits } from './migrations/history.ts'
import { migrations as known } from './migrations/index.ts'
import { MigrationRefused } from './migrations/refused.ts'
import { floorAfter } from './migrations/schema-floor.ts'
import { words, type DialectName, type Migration } from './migrations/words.ts'
import { postgresSession } from './migrations/postgres-session.ts'
import type { Applied, MigrationSession, Plan, MigrationStep } from './migrations/session.ts'
import { sqliteSession } from './migrations/sqlite-session.ts'
import { PostgresDatabase } from './postgres-database.ts'
import { SqliteDatabase } from './sqlite-database.ts'

export type MigrateOptions = {
  /** The number of the last migration to apply; 0 empties the database. */
  readonly to?: 'latest' | number
  /** Called once if another node holds the lock, before waiting for it. */
  readonly onWait?: () => void
  /** Migrations other than Kontor's own, for tests. */
  readonly migrations?: readonly Migration[]
}

export type MigrationStatus = {
  /** The number of the last applied migration; 0 if there is none. */
  readonly current: number
  readonly latest: number
  readonly applied: Applied
  readonly pending: readonly string[]
  /** True if the pending migrations run beside servers and workers of an older version (0401); never on SQLite. */
  readonly isRolling: boolean
  /** True if the database has migrations that this version does not know, and this version works with them. */
  readonly isNewerAndFits: boolean
  /** The servers and workers that are connected to Postgres. */
  readonly connected: readonly ConnectedProcess[]
  /** The distribution of the tables over the nodes of a distributed Postgres. */
  readonly distribution?: Distribution
}

export { MigrationRefused } from './migrations/refused.ts'

const sessionOf = (database: SqliteDatabase | PostgresDatabase): MigrationSession =>
  database instanceof SqliteDatabase ? sqliteSession(database) : postgresSession(database)

export async function migrationStatus(
  database: SqliteDatabase | PostgresDatabase,
  migrations: readonly Migration[] = known,
): Promise<MigrationStatus> {
  const applied = await sessionOf(database).applied()
  const current = baselineStep(applied) === undefined ? (applied.at(-1)?.number ?? 0) : 0
  const pool = database instanceof PostgresDatabase ? database.pool : undefined
  const distribution = pool && (await distributionOf(pool))
  const pending = migrations.slice(current)
  return {
    current,
    latest: migrations.length,
    applied,
    pending: pending.map(({ name }) => name),
    isRolling: pool !== undefined && pending.every(({ rolling }) => rolling === true),
    isNewerAndFits: isNewerAndFits(applied, migrations),
    connected: pool === undefined ? [] : await connectedProcesses(pool),
    ...(distribution && { distribution }),
  }
}

/**
 * Migrates the schema to a version, forwards or backwards, with one transaction per migration; safe when several nodes
 * start at once. Throws MigrationRefused if the database is newer than this code and does not fit it, or if servers are
 * connected beside which a migration must not run.
 */
export async function migrate(
  database: SqliteDatabase | PostgresDatabase,
  options: MigrateOptions = {},
): Promise<MigrationStatus> {
  const migrations = options.migrations ?? known
  const target = options.to === undefined || options.to === 'latest' ? migrations.length : options.to
  if (!Number.isInteger(target) || target < 0 || target > migrations.length) {
    throw new MigrationRefused(`There is no migration ${target}; use a number from 0 (empty) to ${migrations.length}`)
  }
  const session = sessionOf(database)
  const plan: Plan = (applied) => nextStep(applied, { migrations, target }, database.dialect.name)
  let waited = false
  const onWait = (): void => {
    if (!waited) options.onWait?.()
    waited = true
  }
  // Most starts find nothing to do, and then take no lock.
  if (plan(await session.applied()) !== undefined) while (await session.step(plan, onWait));
  const status = await migrationStatus(database, migrations)
  // A migration makes its tables where it runs: those of a distributed database go to the nodes as the others did.
  if (status.distribution === undefined || !(database instanceof PostgresDatabase) || status.pending.length > 0)
    return status
  if (await isWhole(database.pool)) return status
  return { ...status, distribution: await distribute(database) }
}

/** Migrates for a command of an operator: on SQLite only while no server has the file. */
export async function migrateUnserved(
  database: SqliteDatabase | PostgresDatabase,
  options: MigrateOptions = {},
): Promise<MigrationStatus> {
  const { pending } = await migrationStatus(database, options.migrations)
  const isDue = pending.length > 0 || typeof options.to === 'number'
  if (isDue && database instanceof SqliteDatabase) database.requireUnserved()
  return migrate(database, options)
}

/**
 * Spreads a migrated database over the nodes of a Citus cluster; every later migration keeps to it. Throws
 * MigrationRefused where that cannot be done.
 */
export function distributeDatabase(
  database: SqliteDatabase | PostgresDatabase,
  options: DistributeOptions = {},
): Promise<Distribution> {
  if (!(database instanceof PostgresDatabase))
    throw new MigrationRefused('SQLite is one file: only Postgres with the extension citus can be distributed.')
  return distribute(database, options)
}

type Goal = { readonly migrations: readonly Migration[]; readonly target: number }

function nextStep(applied: Applied, { migrations, target }: Goal, dialect: DialectName): MigrationStep | undefined {
  const baseline = baselineStep(applied)
  if (baseline !== undefined) return baseline
  checkHistory(applied, migrations)
  const current = applied.length
  if (current === target || (current > migrations.length && target === migrations.length)) return undefined
  const direction = current < target ? 'up' : 'down'
  const number = direction === 'up' ? current + 1 : current
  const migration = migrations[number - 1]
  if (migration === undefined)
    throw new MigrationRefused(
      `The database has migration ${number} (${applied.at(-1)?.name}), which this version of Kontor does not know. ` +
        'Migrate back with the version that created it.',
    )
  const isRolling = migration.rolling === true
  const floor = isRolling ? [] : floorAfter(migrations, direction === 'up' ? number : number - 1, dialect)
  const strict = migrations.slice(0, target).findLastIndex(({ rolling }) => rolling !== true) + 1
  return {
    statements: [...migration[direction](words[dialect]), ...floor],
    number,
    name: migration.name,
    direction,
    rolling: isRolling,
    isHeldBy: (count) => direction === 'down' || (strict > current && count < strict),
  }
}
