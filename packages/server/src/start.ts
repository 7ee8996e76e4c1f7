import { mkdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { authUrlOf, baseUrlOf, openConfigured } from './admin/admin.ts'
import { createApp, type App } from './app/app.ts'
import { explainMisspelled, type Config } from './config.ts'
import { PostgresDatabase } from './db/postgres-database.ts'
import { systemClock } from './kernel/clock.ts'
import { createLogger } from './lib/logger.ts'

/** Start and end of servers and workers. */

/** Longest that work under way is waited for; orchestrators kill after 30 s. */
export const workMsMax = 20_000

/** Signal that stops a process. */
export type StopSignal = 'SIGTERM' | 'SIGINT'

/** Calls to others are ended a little earlier, so that what became of them is stored. */
export const callsMsMax = workMsMax - 1000

/** A database that does not let itself be closed by then keeps no failed start from ending. */
const closeMaxMs = 5000

type ConfiguredDatabase = ReturnType<typeof openConfigured>

export type Opened = {
  readonly database: ConfiguredDatabase
  readonly logger: Logger
  /** Where the server listens. */
  readonly port: number
  readonly encryptionKeys: readonly string[]
}

/** Makes the folder for local files and the log, in which it warns of misspelled settings. */
export async function begin(config: Config): Promise<Pick<Opened, 'database' | 'logger'>> {
  const logger = await createLogger(config.logLevel, process.stderr.isTTY)
  for (const misspelled of config.misspelled) logger.warn({ setting: misspelled.name }, explainMisspelled(misspelled))
  await mkdir(config.dataDir, { recursive: true })
  return { database: openConfigured(config), logger }
}

/** Closes the database after a start that failed. */
export const giveUp = ({ database, logger }: Pick<Opened, 'database' | 'logger'>): Promise<unknown> =>
  Promise.race([
    database.close().catch((error: unknown) => logger.warn({ err: error }, 'the database was not closed')),
    sleep(closeMaxMs),
  ])

/** Resolves once other processes have migrated the database to a version that this one does not know. */
export const outdatedOf = (database: ConfiguredDatabase): Promise<Error> =>
  database instanceof PostgresDatabase ? database.outdated : new Promise(() => undefined)

export const createConfiguredApp = (config: Config, { database, logger, port, encryptionKeys }: Opened): App =>
  createApp({
    ...config,
    database,
    clock: systemClock,
    logger,
    baseUrl: baseUrlOf(config, port),
    authUrl: authUrlOf(config, port),
    encryptionKeys,
  })
