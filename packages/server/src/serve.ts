import type { RequestListener, Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Admin, authUrlOf, baseUrlOf, type Config } from './admin/admin.ts'
import type { App } from './app/app.ts'
import { DatabaseUnavailable } from './db/errors.ts'
import { migrate } from './db/migrate.ts'
import { PostgresDatabase } from './db/postgres-database.ts'
import { SqliteDatabase } from './db/sqlite-database.ts'
import type { Database } from './db/tx.ts'
import { findDemo, seedDemo, type Demo } from './demo/seed.ts'
import { lookEveryMs } from './http/admission.ts'
import { crossOrigin } from './http/cross-origin.ts'
import { isSignedFile } from './http/exchange.ts'
import { isOAuth } from './http/oauth/routes.ts'
import { createLimitedServer, drain, endConnections, listen } from './http/server.ts'
import { startingListener } from './http/starting.ts'
import { systemClock } from './kernel/clock.ts'
import { newId, newSecret } from './kernel/ids.ts'
import { handled } from './lib/promises.ts'
import { folderKey } from './lib/key-file.ts'
import { announceServer, withdrawServer } from './lib/running-server.ts'
import {
  begin,
  callsMsMax,
  createConfiguredApp,
  giveUp,
  outdatedOf,
  workMsMax,
  type Opened,
  type StopSignal,
} from './start.ts'

export type Running = {
  readonly baseUrl: string
  readonly app: App
  readonly logger: Logger
  /** The sample workspace and its key, where this database has one. */
  readonly demo: Demo | undefined
  /** True if there is no workspace yet. */
  readonly isEmpty: boolean
  /**
   * Says that it is not ready, goes on serving for a while so that load balancers notice, takes no new requests,
   * finishes those under way, and closes the database.
   */
  readonly stop: (signal: StopSignal) => Promise<void>
  /** Resolves once the database was migrated to a version that this server does not know; it then refuses all work. */
  readonly outdated: Promise<Error>
}

/**
 * Listens, opens and migrates the database, and seeds the demo into an empty one. A client that calls before
 * all of that is done is told that the server starts.
 */
export async function serve(config: Config): Promise<Running> {
  const { database, logger } = await begin(config)
  const starting = startingListener(() => newId(systemClock.now()))
  let answer: RequestListener = crossOrigin(
    { origins: config.corsOrigins, own: [], saysItself: isOAuth, onRefused: () => undefined },
    starting,
  )
  const server = createLimitedServer(
    config.requestTimeoutMs,
    (request, response) => answer(request, response),
    isSignedFile,
  )
  try {
    if (database instanceof SqliteDatabase) database.lock(() => systemClock.now())
    else await database.requireSessions()
    const port = await listen(server, config.port, config.host)
    await migrate(database, { onWait: () => logger.info('waiting for another node to migrate the database') })
    if (database instanceof PostgresDatabase) await database.join()
    const encryptionKeys = await readEncryptionKeys(config)
    const opened: Opened = { database, logger, port, encryptionKeys }
    const app = createConfiguredApp(config, opened)
    const demo = await prepareDemo(config, app, opened).catch((error: unknown) => {
      if (!(error instanceof DatabaseUnavailable)) throw error
      logger.warn({ err: error }, 'the sample data waits for the database')
      return undefined
    })
    const unwritable = database instanceof SqliteDatabase ? database.unwritable : undefined
    if (config.jobs && unwritable === undefined) await app.runner.start()
    await announce(config, port, logger)
    await database.probe()
    await warnOfReplicas(database, logger)
    if (database.writesAway !== undefined) logger.warn({ reason: database.writesAway }, withoutChanges(unwritable))
    const looking = setInterval(() => app.admission.look(), lookEveryMs)
    const isEmpty =
      demo === undefined &&
      (await new Admin({ database, clock: systemClock, authUrl: authUrlOf(config, port) }).isEmpty())
    answer = app.listener
    const stop = stopper(config, { server, app, database, looking, logger })
    return { baseUrl: baseUrlOf(config, port), app, logger, demo, isEmpty, stop, outdated: outdatedOf(database) }
  } catch (error) {
    server.close()
    server.closeAllConnections()
    await giveUp({ database, logger })
    throw error
  }
}

/** Says what a server does whose database takes no changes, and when that ends. */
function withoutChanges(unwritable: string | undefined): string {
  const now = 'the server serves reads, and refuses changes with 503'
  return unwritable === undefined
    ? `the database accepts no changes: ${now}; changes work again once it does`
    : `${unwritable} cannot be written: ${now}. Jobs do not run. Make it writable, then restart the server`
}

/** A replica that cannot be used is left out, and nobody would notice. */
async function warnOfReplicas({ replicas }: Database, logger: Logger): Promise<void> {
  await replicas?.look()
  for (const { name, state } of replicas?.states ?? [])
    if (state !== 'in use')
      logger.warn(
        { replica: name, state },
        'a replica of DATABASE_READ_URL cannot be used: the primary serves its reads',
      )
}

/** Those of the settings, else the one in the folder for local files. */
const readEncryptionKeys = async ({ encryptionKeys, dataDir }: Config): Promise<readonly string[]> =>
  encryptionKeys.length > 0 ? encryptionKeys : [await folderKey(dataDir, () => newSecret(32))]

/** The command line can do without: a folder that cannot be written keeps no server from serving. */
async function announce(config: Config, port: number, logger: Logger): Promise<void> {
  const server = { pid: process.pid, base_url: baseUrlOf(config, port), auth_url: authUrlOf(config, port) }
  await announceServer(config.dataDir, server).catch((error: unknown) =>
    logger.warn({ err: error }, 'the address of this server could not be stored for the command line'),
  )
}

async function prepareDemo(
  config: Config,
  app: App,
  { database, logger, port, encryptionKeys }: Opened,
): Promise<Demo | undefined> {
  if (!config.demo) return undefined
  const authUrl = authUrlOf(config, port)
  const admin = new Admin({ database, clock: systemClock, authUrl })
  if (!(await admin.isEmpty())) return findDemo(app, admin, config.dataDir, authUrl)
  logger.info('creating the sample data; this takes up to a minute')
  const { dataDir, files, fieldIndexThreshold } = config
  return seedDemo({
    app,
    admin,
    dataDir,
    database,
    clock: systemClock,
    logger,
    baseUrl: baseUrlOf(config, port),
    authUrl,
    fieldIndexThreshold,
    files,
    encryptionKeys,
  })
}

type Stopping = Pick<Running, 'app' | 'logger'> & {
  readonly server: Server
  readonly database: Database
  readonly looking: NodeJS.Timeout
}

/**
 * Stops a server so that no caller gets a reset connection: each response from now on ends its connection, and the port
 * stays open until load balancers have seen `/readyz`. A person at a terminal waits for no load balancer.
 */
function stopper(config: Config, { server, app, database, looking, logger }: Stopping): Running['stop'] {
  return async (signal) => {
    app.readiness.ready = false
    endConnections(server)
    app.admission.endConnections()
    const idle = handled(app.runner.stop(workMsMax, callsMsMax))
    await sleep(signal === 'SIGINT' ? 0 : config.drainMs)
    clearInterval(looking)
    withdrawServer(config.dataDir, process.pid)
    const streamsEnded = handled(app.endStreams())
    await Promise.all([drain(server, workMsMax), idle, streamsEnded])
    app.pool.close()
    await database.close()
    logger.flush()
  }
}
