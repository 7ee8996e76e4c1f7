import type { RequestListener } from 'node:http'
import express, { Router } from 'express'
import type { Database } from '../db/tx.ts'
import { failure } from '../kernel/errors.ts'
import type { Exchange } from './exchange.ts'
import type { MetricSources } from './metrics/registry.ts'
import { metricsRoute } from './metrics/route.ts'
import { healthRoutes, type Readiness } from './pages.ts'

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
