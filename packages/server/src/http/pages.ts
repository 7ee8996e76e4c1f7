import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Router } from 'express'
import type { Database } from '../db/tx.ts'
import { toFailure } from '../kernel/invoke/database-failures.ts'
import { Failure, failure } from '../kernel/errors.ts'
import { once, handled } from '../lib/promises.ts'
import type { Admission } from './admission.ts'
import { apiSecurityHeaders, jsonType, send } from './answer.ts'
import type { PublicAddresses } from '../lib/public-addresses.ts'
import { documentOf } from './document.ts'
import { siteRoutes } from './site.ts'

const siteFolder = fileURLToPath(new URL('../../../docs/dist', import.meta.url))

/** Returns whether the process takes requests; false from SIGTERM on, so that a load balancer looks elsewhere. */
export type Readiness = { ready: boolean }

/**
 * `/healthz` says that the process runs, `/readyz` that it can serve: its database answers and takes changes, it is
 * neither draining nor overloaded for long.
 */
export function healthRoutes(database: Database, readiness: Readiness, admission: Admission): Router {
  const router = Router()
  const ping = boundedPing(database)
  router.get('/healthz', (_request, response) => send(response, 200, { status: 'ok' }, {}))
  router.get('/readyz', async (_request, response) => {
    const body = await statusOf(database, ping, readiness, admission)
    if (body.status === 'ready') send(response, 200, body, {})
    else send(response, 503, body, { 'Retry-After': '1' })
  })
  return router
}

/** The limit of monitors is rarely longer; Postgres itself is given up only after its statement timeout. */
const pingMsMax = 2000

/** Asks the database once for all who ask meanwhile, and takes no answer in time for an answer. */
function boundedPing(database: Database): () => Promise<void> {
  let asked: Promise<void> | undefined
  return async () => {
    asked ??= handled(database.ping().finally(() => (asked = undefined)))
    const silence = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => silence.reject(failure('unavailable', `The database has not responded for ${pingMsMax / 1000} s.`)),
      pingMsMax,
    )
    await Promise.race([asked, silence.promise]).finally(() => clearTimeout(timer))
  }
}

type Status = {
  readonly status: 'ready' | 'draining' | 'overloaded' | 'read only' | 'database unavailable'
  readonly detail?: string
  /** The number of replicas that serve reads; without any, the primary does. */
  readonly replicas?: { readonly total: number; readonly in_use: number }
}

const replicasOf = ({ replicas }: Database): Pick<Status, 'replicas'> =>
  replicas === undefined
    ? {}
    : {
        replicas: {
          total: replicas.states.length,
          in_use: replicas.states.filter(({ state }) => state === 'in use').length,
        },
      }

async function statusOf(
  database: Database,
  ping: () => Promise<void>,
  readiness: Readiness,
  admission: Admission,
): Promise<Status> {
  if (!readiness.ready) return { status: 'draining' }
  if (admission.isOverloadedForLong()) return { status: 'overloaded' }
  return ping().then(
    () => ({ status: 'ready', ...replicasOf(database) }),
    (error: unknown) => {
      const failed = toFailure(error)
      return {
        status: database.writesAway === undefined ? 'database unavailable' : 'read only',
        ...(failed instanceof Failure && { detail: failed.message }),
      }
    },
  )
}

/** The generated documents and the rendered reference, which loads nothing from the network. */
export function documentRoutes(
  documents: Readonly<Record<string, () => Promise<unknown>>>,
  addresses: PublicAddresses,
): Router {
  const router = Router()
  // For a person who follows the address of the server; programs go on, and are told where the API is.
  router.get('/', (request, response, next) =>
    request.accepts(['json', 'html']) === 'html' ? response.redirect('docs/') : next(),
  )
  for (const [path, make] of Object.entries(documents)) {
    const made = once(async () => documentOf(Buffer.from(JSON.stringify(await make())), jsonType))
    router.get(path, (request, response) =>
      made().then((sendDocument) =>
        sendDocument(request, response, { ...apiSecurityHeaders, 'Access-Control-Allow-Origin': '*' }),
      ),
    )
  }
  router.use(siteRoutes(siteFolder, addresses))
  router.get('/docs', (_request, response) => {
    response
      .status(existsSync(siteFolder) ? 404 : 503)
      .type('text')
      .send('The reference is not built yet. Run: node tools/setup.mjs\n')
  })
  return router
}
