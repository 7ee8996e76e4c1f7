import { defined } from '../lib/guards.ts'
import { distribute, distributionOf, isWhole, type DistributeOptions, type Distribution } from './distribution/index.ts'
import { baselineStep, isBeforeBaseline } from './migrations/baseline-step.ts'
import { migrations as known } from './migrations/index.ts'
import { MigrationRefused } from './migrations/refused.ts'
import { words, type Migration } from './migrations/words.ts'
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
  const distribution = database instanceof PostgresDatabase ? await distributionOf(database.pool) : undefined
  return {
    current,
    latest: migrations.length,
    applied,
    pending: migrations.slice(current).map(({ name }) => name),
    ...(distribution && { distribution }),
  }
}

/**
 * Migrates the schema to a version, forwards or backwards, with one transaction per migration; safe when several nodes
 * start at once. Throws MigrationRefused if the database is newer than this code.
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
  const plan: Plan = (applied) => nextStep(applied, migrations, target, database.dialect.name)
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

function nextStep(
  applied: Applied,
  migrations: readonly Migration[],
  target: number,
  dialect: 'sqlite' | 'postgres',
): MigrationStep | undefined {
  const baseline = baselineStep(applied)
  if (baseline !== undefined) return baseline
  checkHistory(applied, migrations)
  const current = applied.length
  if (current === target) return undefined
  const direction = current < target ? 'up' : 'down'
  const number = direction === 'up' ? current + 1 : current
  const migration = defined(migrations[number - 1])
  return { statements: migration[direction](words[dialect]), number, name: migration.name, direction }
}

function checkHistory(applied: Applied, migrations: readonly Migration[]): void {
  if (isBeforeBaseline(applied))
    throw new MigrationRefused(
      `The database is older than the baseline of this version of Kontor: it has ${applied.length} of the migrations ` +
        'before it. Migrate it with the last version before the baseline first (see the changelog).',
    )
  for (const [index, { number, name }] of applied.entries()) {
    const expected = migrations[index]?.name
    if (expected === undefined) {
      throw new MigrationRefused(
        `The database is newer than this version of Kontor: it has migration ${number} (${name}), and this ` +
          `version knows ${migrations.length}. Start the version that created it, or migrate back with that ` +
          'version first.',
      )
    }
    if (number !== index + 1 || name !== expected) {
      throw new MigrationRefused(
        `The database has migration ${number} (${name}), but this version of Kontor has ${index + 1} (${expected}): ` +
          `a different version of Kontor created it.`,
      )
    }
  }
}
