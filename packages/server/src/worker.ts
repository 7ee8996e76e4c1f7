import type { RequestListener } from 'node:http'
import type { App } from './app/app.ts'
import { ConfigError, type Config } from './config.ts'
import { migrate } from './db/migrate.ts'
import { PostgresDatabase } from './db/postgres-database.ts'
import { createLimitedServer, drain, listen } from './http/server.ts'
import { startingListener } from './http/starting.ts'
import { systemClock } from './kernel/clock.ts'
import { newId } from './kernel/ids.ts'
import { findFolderKey } from './lib/key-file.ts'
import { begin, callsMsMax, createConfiguredApp, giveUp, outdatedOf, workMsMax } from './start.ts'

export type Working = {
  readonly app: App
  /** Where it says how it is; undefined where it does not listen. */
  readonly monitorUrl: string | undefined
  /** Takes no more jobs, ends those under way or hands them back, and closes the database. */
  readonly stop: () => Promise<void>
  /** Resolves once the database was migrated to a version that this worker does not know; it then refuses all work. */
  readonly outdated: Promise<Error>
}

/** Runs jobs and follows the logs of events, beside servers on the same Postgres; it serves nothing (0152). */
export async function work(config: Config): Promise<Working> {
  requirePostgres(config)
  const encryptionKeys = await readServersKeys(config)
  const { database, logger } = await begin(config)
  let answer: RequestListener = startingListener(() => newId(systemClock.now()))
  const server = createLimitedServer(config.requestTimeoutMs, (request, response) => answer(request, response))
  try {
    const monitorUrl =
      config.workerPort === undefined
        ? undefined
        : `http://${config.host}:${await listen(server, config.workerPort, config.host)}`
    if (database instanceof PostgresDatabase) await database.requireSessions()
    await migrate(database, { onWait: () => logger.info('waiting for another node to migrate the database') })
    if (database instanceof PostgresDatabase) await database.join()
    // Links lead to the servers.
    const app = createConfiguredApp(config, { database, logger, port: config.port, encryptionKeys })
    await app.runner.start()
    answer = app.monitor
    const stop = async () => {
      app.readiness.ready = false
      // Last the monitor, which says meanwhile that the worker drains.
      await app.runner.stop(workMsMax, callsMsMax)
      app.pool.close()
      await drain(server, 0)
      await database.close()
      logger.flush()
    }
    return { app, monitorUrl, stop, outdated: outdatedOf(database) }
  } catch (error) {
    server.close()
    server.closeAllConnections()
    await giveUp({ database, logger })
    throw error
  }
}

function requirePostgres({ databaseUrl }: Config): void {
  if (databaseUrl.startsWith('sqlite:'))
    throw new ConfigError(
      'A worker requires Postgres: on SQLite, the server itself runs the jobs. ' +
        `DATABASE_URL is ${databaseUrl}; set it to the postgres://… of the servers.`,
    )
}

/** Those that the servers have: with one of its own, a worker could not read their secrets, nor they what it writes. */
async function readServersKeys({ encryptionKeys, dataDir }: Config): Promise<readonly string[]> {
  if (encryptionKeys.length > 0) return encryptionKeys
  const key = await findFolderKey(dataDir)
  if (key !== undefined) return [key]
  throw new ConfigError(
    `A worker requires the encryption key of the servers, and ${dataDir} has none. Set ENCRYPTION_KEYS as on the ` +
      'servers, or DATA_DIR to their folder.',
  )
}
