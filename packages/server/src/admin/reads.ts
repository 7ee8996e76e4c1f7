import { listBackground, type Background } from './jobs.ts'
import type { Config } from '../config.ts'
import { openConfigured } from './configured.ts'
import { distributionOf, unreachableNodes } from '../db/distribution/index.ts'
import { migrationStatus, type MigrationStatus } from '../db/migrate.ts'
import { PostgresDatabase } from '../db/postgres-database.ts'
import { SqliteDatabase } from '../db/sqlite-database.ts'
import type { ReplicaStanding } from '../db/tx.ts'
import { systemClock } from '../kernel/clock.ts'
import { fieldIndexFacts, type FieldIndexFact } from '../modules/indexes/index.ts'

/** The indexes that were built on demand, of all workspaces; undefined if the tables are not those of this version. */
export async function readFieldIndexes(config: Config): Promise<FieldIndexFact[] | undefined> {
  const database = openConfigured(config)
  try {
    const { current, latest } = await migrationStatus(database)
    return current >= latest ? await fieldIndexFacts(database) : undefined
  } finally {
    await database.close()
  }
}

/** Reads the state of the schema without changing it. */
export async function readMigrationStatus(config: Config): Promise<MigrationStatus> {
  const database = openConfigured(config)
  try {
    return await migrationStatus(database)
  } finally {
    await database.close()
  }
}

/** Reads which nodes of a distributed database do not answer, as `host:port`; undefined where it is not distributed. */
export async function readUnreachableNodes(config: Config): Promise<readonly string[] | undefined> {
  const database = openConfigured(config)
  try {
    if (!(database instanceof PostgresDatabase) || (await distributionOf(database.pool)) === undefined) return undefined
    return await unreachableNodes(database.pool)
  } finally {
    await database.close()
  }
}

/** Connects as a server does, and throws DatabaseRefused where it could not work on these connections. */
export async function requireConnections(config: Config): Promise<void> {
  const database = openConfigured(config)
  try {
    if (database instanceof PostgresDatabase) await database.requireSessions()
  } finally {
    await database.close()
  }
}

/** Connects to the replicas, and returns the state of each. */
export async function readReplicas(config: Config): Promise<readonly ReplicaStanding[]> {
  const database = openConfigured(config)
  try {
    await database.replicas?.look()
    return [...(database.replicas?.states ?? [])]
  } finally {
    await database.close()
  }
}

/** Reads the whole file of a SQLite database, and returns what is wrong with it. */
export async function readDamage(config: Config): Promise<string | undefined> {
  const database = openConfigured(config)
  try {
    return database instanceof SqliteDatabase ? database.damage() : undefined
  } finally {
    await database.close()
  }
}

/** Reads how the work of a database stands that goes on by itself; it is at this version, and is not changed. */
export async function readBackground(config: Config): Promise<Background> {
  const database = openConfigured(config)
  try {
    return await listBackground({ database, clock: systemClock })
  } finally {
    await database.close()
  }
}
