import { createServer, type RequestListener, type Server } from 'node:http'
import { mkdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { memberOf, numberOf } from './lib/guards.ts'
import { Admin, authUrlOf, baseUrlOf, openConfigured, type Config } from './admin/admin.ts'
import { createApp, type App } from './app/app.ts'
import { explainMisspelled } from './config.ts'
import { DatabaseUnavailable } from './db/errors.ts'
import { migrate } from './db/migrate.ts'
import type { Database } from './db/tx.ts'
import { findDemo, seedDemo, type Demo } from './demo/seed.ts'
import { lookEveryMs } from './http/admission.ts'
import { crossOrigin } from './http/cross-origin.ts'
import { isOAuth } from './http/oauth/routes.ts'
import { startingListener } from './http/starting.ts'
import { systemClock } from './kernel/clock.ts'
import { newId } from './kernel/ids.ts'
import { handled } from './lib/handled.ts'
import { createLogger } from './lib/logger.ts'
import { announceServer, withdrawServer } from './lib/running-server.ts'

export type Running = {
  readonly baseUrl: string
  readonly app: App
  readonly logger: Logger
  /** The sample workspace and its key, where this database has one. */
  readonly demo: Demo | undefined
  /** Whether there is no workspace yet. */
  readonly isEmpty: boolean
  /** Takes no new requests, finishes those under way, and closes the database. */
  readonly stop: () => Promise<void>
}

/** Longest that requests under way are waited for; orchestrators kill after 30 s. */
const drainMs = 20_000

/** Longer than load balancers keep an idle connection, so that it is theirs to close. */
const keepAliveTimeout = 65_000

/** The head of a request is one packet or two. Node answers 408 to a client that sends it slowly, on purpose or not. */
const headersTimeoutMsMax = 30_000
const connectionsCheckingInterval = 1000

/** Connections beyond that are closed at once. An idle one costs some 10 KB, and one of the process's files. */
const connectionsMax = 10_000

/**
 * Connections that the system may keep for us until we come to them; with its own default, thousands at once lose some.
 */
const connectionsWaitingMax = 4096
const sweepEveryMs = 50

/** A database that does not let itself be closed by then keeps no failed start from ending. */
const closeMaxMs = 5000

/**
 * Listens, opens and migrates the database, and seeds the demo into an empty one. A client that calls before
 * all of that is done is told that the server starts.
 */
export async function serve(config: Config): Promise<Running> {
  const logger = await createLogger(config.logLevel, process.stderr.isTTY)
  for (const misspelled of config.misspelled) logger.warn({ setting: misspelled.name }, explainMisspelled(misspelled))
  await mkdir(config.dataDir, { recursive: true })
  const database = openConfigured(config)
  const starting = startingListener(() => newId(systemClock.now()))
  let answer: RequestListener = crossOrigin(
    { origins: config.corsOrigins, own: [], saysItself: isOAuth, onRefused: () => undefined },
    starting,
  )
  const server = createLimitedServer(config, (request, response) => answer(request, response))
  try {
    const port = await listen(server, config)
    await migrate(database, { onWait: () => logger.info('waiting for another node to migrate the database') })
    const app = createConfiguredApp(config, { database, logger, port })
    const demo = await prepareDemo(config, app, { database, logger, port }).catch((error: unknown) => {
      if (!(error instanceof DatabaseUnavailable)) throw error
      logger.warn({ err: error }, 'the sample data has to wait for the database')
      return undefined
    })
    await app.runner.start()
    await announce(config, port, logger)
    await database.probe()
    if (database.writesAway !== undefined)
      logger.warn(
        { reason: database.writesAway },
        'the database takes no changes: the server reads, refuses changes with 503, and makes them again ' +
          'once the database does',
      )
    const looking = setInterval(() => app.admission.look(), lookEveryMs)
    const isEmpty =
      demo === undefined &&
      (await new Admin({ database, clock: systemClock, authUrl: authUrlOf(config, port) }).isEmpty())
    answer = app.listener
    const stop = stopper(server, app, database, looking, logger)
    const withdrawAndStop = () => {
      withdrawServer(config.dataDir, process.pid)
      return stop()
    }
    return { baseUrl: baseUrlOf(config, port), app, logger, demo, isEmpty, stop: withdrawAndStop }
  } catch (error) {
    server.close()
    server.closeAllConnections()
    await Promise.race([
      database.close().catch((closing: unknown) => logger.warn({ err: closing }, 'the database was not closed')),
      sleep(closeMaxMs),
    ])
    throw error
  }
}

/** An HTTP server with the limits on connections and on the time that a request may take. */
function createLimitedServer({ requestTimeoutMs }: Config, answer: RequestListener): Server {
  const server = createServer(
    {
      keepAliveTimeout,
      connectionsCheckingInterval,
      requestTimeout: requestTimeoutMs,
      headersTimeout: Math.min(requestTimeoutMs, headersTimeoutMsMax),
    },
    answer,
  )
  server.maxConnections = connectionsMax
  return server
}

type Opened = {
  readonly database: ReturnType<typeof openConfigured>
  readonly logger: Logger
  /** Where the server listens. */
  readonly port: number
}

const createConfiguredApp = (config: Config, { database, logger, port }: Opened): App =>
  createApp({
    database,
    clock: systemClock,
    logger,
    baseUrl: baseUrlOf(config, port),
    authUrl: authUrlOf(config, port),
    outsideIssuer: config.outsideIssuer,
    mail: config.mail,
    rateLimitPerMinute: config.rateLimitPerMinute,
    signInsPerMinute: config.signInsPerMinute,
    trustedProxies: config.trustedProxies,
    requestsMax: config.requestsMax,
    corsOrigins: config.corsOrigins,
    metricsToken: config.metricsToken,
    fieldIndexThreshold: config.fieldIndexThreshold,
  })

const listen = (server: Server, { port, host }: Config): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: connectionsWaitingMax }, () => {
      server.off('error', reject)
      resolve(numberOf(memberOf(server.address(), 'port')))
    })
  })

/** The command line can do without: a folder that cannot be written keeps no server from serving. */
async function announce(config: Config, port: number, logger: Logger): Promise<void> {
  const server = { pid: process.pid, base_url: baseUrlOf(config, port), auth_url: authUrlOf(config, port) }
  await announceServer(config.dataDir, server).catch((error: unknown) =>
    logger.warn({ err: error }, 'the command line cannot be told the address of this server'),
  )
}

async function prepareDemo(config: Config, app: App, { database, logger, port }: Opened): Promise<Demo | undefined> {
  if (!config.demo) return undefined
  const authUrl = authUrlOf(config, port)
  const admin = new Admin({ database, clock: systemClock, authUrl })
  if (!(await admin.isEmpty())) return findDemo(app, admin, config.dataDir, authUrl)
  const { dataDir, fieldIndexThreshold } = config
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
  })
}

function stopper(
  server: Server,
  app: App,
  database: Database,
  looking: NodeJS.Timeout,
  logger: Logger,
): () => Promise<void> {
  return async () => {
    app.readiness.ready = false
    clearInterval(looking)
    const idle = handled(app.runner.stop(drainMs))
    const forced = setTimeout(() => server.closeAllConnections(), drainMs)
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    // A connection that is kept alive becomes idle only once its request has been answered.
    const sweeping = setInterval(() => server.closeIdleConnections(), sweepEveryMs)
    server.closeIdleConnections()
    await Promise.all([closed, idle])
    clearTimeout(forced)
    clearInterval(sweeping)
    await database.close()
    logger.flush()
  }
}
