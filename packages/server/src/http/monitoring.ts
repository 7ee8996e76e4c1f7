import type { RequestListener, IncomingMessage } from 'node:http'
import express, { Router } from 'express'
import type { Database } from '../db/tx.ts'
import { failure, type Failure } from '../kernel/errors.ts'
import { requestIdOf, type Exchange } from './exchange.ts'
import type { MetricSources } from './metrics/registry.ts'
import { healthRoutes, type Readiness } from './pages.ts'
import { createHash, timingSafeEqual } from 'node:crypto'
import { BlockList, isIPv6 } from 'node:net'
import { apiSecurityHeaders, sendFailure } from './answer.ts'
import { once } from '../lib/promises.ts'

type Watched = MetricSources & { readonly database: Database; readonly readiness: Readiness }

/** Serves the endpoints for monitoring: health, readiness and metrics. */
export const monitoringRoutes = (
  { database, readiness, admission, ...sources }: Watched,
  options: Parameters<typeof metricsRoute>[1],
): Router =>
  Router()
    .use(healthRoutes(database, readiness, admission))
    .use(metricsRoute({ database, admission, ...sources }, options))

/** Answers the monitors of a process that serves nothing else. */
export const monitorListener = (routes: Router, exchange: Exchange): RequestListener =>
  express()
    .disable('x-powered-by')
    .disable('etag')
    .use(routes)
    .use(
      (request, response) =>
        void exchange(request, response, async () => {
          throw failure('not_found', 'This is a worker: it only serves /healthz, /readyz and /metrics.')
        }),
    )

type Options = { readonly token: string | undefined; readonly newId: () => string }

/**
 * `/metrics` in the text format of Prometheus, for callers with the token; without one, for this machine alone
 * (docs/decisions/0047). The library that writes it is loaded on the first request: 25 ms and 4 MB of every start.
 */
function metricsRoute(sources: MetricSources, { token, newId }: Options): Router {
  const router = Router()
  const load = once(async () => (await import('./metrics/registry.ts')).createRegistry(sources))
  router.get('/metrics', (request, response, next) => {
    const refusal = refusalOf(request, token)
    if (refusal === undefined) return next()
    const requestId = requestIdOf(request, newId)
    return sendFailure(request, response, refusal, requestId, {
      'X-Request-Id': requestId,
      ...(refusal.status === 401 && { 'WWW-Authenticate': 'Bearer realm="metrics"' }),
    })
  })
  router.get('/metrics', async (_request, response) => {
    const registry = await load()
    const text = await registry.metrics()
    response.writeHead(200, { ...apiSecurityHeaders, 'Content-Type': registry.contentType })
    response.end(text)
  })
  return router
}

const refusalOf = (request: IncomingMessage, token: string | undefined): Failure | undefined => {
  if (token === undefined)
    return isLocal(request)
      ? undefined
      : failure('forbidden', 'Without METRICS_TOKEN, metrics are only available on the machine of the server.')
  return isSame(request.headers.authorization ?? '', `Bearer ${token}`)
    ? undefined
    : failure('unauthenticated', 'Send `Authorization: Bearer <METRICS_TOKEN>`.')
}

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Compared in a time that tells nothing of where they differ. */
const isSame = (given: string, wanted: string): boolean => timingSafeEqual(hashOf(given), hashOf(wanted))

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** A proxy on this machine calls from here too, but for another caller, and says so. */
const forwardedBy = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'] as const

const isLocal = ({ socket: { remoteAddress = '' }, headers }: IncomingMessage): boolean =>
  remoteAddress !== '' &&
  loopback.check(remoteAddress, isIPv6(remoteAddress) ? 'ipv6' : 'ipv4') &&
  forwardedBy.every((name) => headers[name] === undefined)
