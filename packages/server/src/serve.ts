import { createServer, type Server } from 'node:http'
import { mkdir } from 'node:fs/promises'
import { pino, type Logger } from 'pino'
import { Admin, authUrlOf, baseUrlOf, openConfigured, type Config } from './admin.ts'
import { createApp, type App } from './app.ts'
import { migrate } from './db/migrate.ts'
import type { Database } from './db/tx.ts'
import { findDemo, seedDemo, type Demo } from './demo/seed.ts'
import { systemClock } from './kernel/clock.ts'

export type Running = {
  readonly baseUrl: string
  readonly app: App
  readonly logger: Logger
  /** The sample workspace and its key, where this database has one. */
  readonly demo: Demo | undefined
  /** Takes no new requests, finishes those under way, and closes the database. */
  readonly stop: () => Promise<void>
}

/** Longest that requests under way are waited for; orchestrators kill after 30 s. */
const drainMs = 20_000
const sweepEveryMs = 50

/** Opens and migrates the database, listens, and seeds the demo into an empty database. */
export async function serve(config: Config): Promise<Running> {
  const logger = pino({ level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination({ dest: 2, sync: false }))
  await mkdir(config.dataDir, { recursive: true })
  const database = openConfigured(config)
  const server = createServer({ keepAliveTimeout: 65_000 })
  try {
    await migrate(database, { onWait: () => logger.info('waiting for another node to migrate the database') })
    const port = await listen(server, config)
    const app = createApp({
      database,
      clock: systemClock,
      logger,
      baseUrl: baseUrlOf(config, port),
      authUrl: authUrlOf(config, port),
      outsideIssuer: config.outsideIssuer,
      rateLimitPerMinute: config.rateLimitPerMinute,
      fieldIndexThreshold: config.fieldIndexThreshold,
    })
    const demo = await prepareDemo(config, app, database, port)
    server.on('request', app.listener)
    await app.runner.start()
    return { baseUrl: baseUrlOf(config, port), app, logger, demo, stop: stopper(server, app, database, logger) }
  } catch (error) {
    server.close()
    await database.close()
    throw error
  }
}

const listen = (server: Server, { port, host }: Config): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve((server.address() as { port: number }).port)
    })
  })

async function prepareDemo(config: Config, app: App, database: ReturnType<typeof openConfigured>, port: number): Promise<Demo | undefined> {
  if (!config.demo) return undefined
  const admin = new Admin({ database, clock: systemClock, authUrl: authUrlOf(config, port) })
  return (await admin.isEmpty()) ? seedDemo(app, admin, config.dataDir) : findDemo(app, config.dataDir)
}

function stopper(server: Server, app: App, database: Database, logger: Logger): () => Promise<void> {
  return async () => {
    app.readiness.ready = false
    const idle = app.runner.stop(drainMs)
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
