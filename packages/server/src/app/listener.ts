import type { RequestListener } from 'node:http'
import express, { type RequestHandler } from 'express'
import { contract, isStream } from '@kontor/contract'
import type { Admission } from '../http/admission.ts'
import { bodyReader } from '../http/body.ts'
import { challengeOf } from '../http/challenge.ts'
import { crossOrigin } from '../http/cross-origin.ts'
import { isSignedFile, createExchange } from '../http/exchange.ts'
import type { MetricSources } from '../http/metrics/registry.ts'
import { fileListener, type SignedFiles } from '../http/files.ts'
import { monitoringRoutes, monitorListener } from '../http/monitoring.ts'
import { once } from '../lib/promises.ts'
import { mcpMiddleware, mcpPath } from '../http/mcp.ts'
import { networkReader } from '../http/network.ts'
import { isOAuth } from '../http/oauth/routes.ts'
import { documentRoutes, type Readiness } from '../http/pages.ts'
import { isRest, restListener } from '../http/rest.ts'
import type { Transport } from '../http/transport.ts'
import { trpcMiddleware } from '../http/trpc.ts'
import { Failure, failure } from '../kernel/errors.ts'
import { newId } from '../kernel/ids.ts'
import type { KeyAuthenticator } from '../modules/identity/api-keys/index.ts'
import type { Mailer } from '../modules/mail/index.ts'
import type { Letters } from './email-services.ts'
import type { OAuthParts } from '../pages/oauth/services.ts'
import type { Served } from '../kernel/invoke/in-process.ts'
import type { ToolUsage } from '../mcp/usage.ts'
import type { AppOptions } from './options.ts'
import { cursorLags, outboxFacts } from '../modules/events/index.ts'
import type { Database } from '../db/tx.ts'
import { jobFacts } from '../engine/overview/store.ts'
import type { Backlog } from '../http/metrics/backlog.ts'
import type { Clock } from '../kernel/clock.ts'
import { countIndexes } from '../modules/indexes/index.ts'
import { countStopped } from '../modules/webhooks/index.ts'

type Parts = OAuthParts &
  Served & {
    readonly keys: KeyAuthenticator
    readonly mailer: Mailer | undefined
    readonly letters: Letters
    readonly signedFiles: SignedFiles
    readonly readiness: Readiness
    readonly admission: Admission
    readonly toolUsage: ToolUsage
  } & Pick<Transport, 'onError'> &
  Pick<MetricSources, 'pool' | 'rateLimiter' | 'unhandled' | 'jobCounts' | 'followers'>

type Listeners = {
  /** Answers every request over HTTP: REST, tRPC, actions, the documents and the pages. */
  readonly listener: RequestListener
  /** Answers the monitors of a process that serves nothing else. */
  readonly monitor: RequestListener
}

export function createListeners(options: AppOptions, parts: Parts): Listeners {
  const { database, clock, logger, baseUrl, metricsToken } = options
  const { admission } = parts
  const freshId = () => newId(clock.now())
  const answers = new Map<number, number>()
  const count = (status: number) => void answers.set(status, (answers.get(status) ?? 0) + 1)
  const challenge = challengeOf(baseUrl)
  const networkOf = networkReader(options.trustedProxies ?? [])
  const exchange = createExchange({ logger, newId: freshId, admission, challenge, count, networkOf })
  const monitoring = monitoringRoutes(
    { ...parts, database, answers, backlog: () => readBacklog(database, clock) },
    { token: metricsToken, newId: freshId },
  )
  return {
    listener: letOriginsIn(options, routeRequests(options, parts, { exchange, challenge, networkOf, monitoring })),
    monitor: monitorListener(monitoring, exchange),
  }
}

/** Answers pages of other origins as far as `corsOrigins` lets them call. */
function letOriginsIn({ logger, baseUrl, authUrl, corsOrigins }: AppOptions, answer: RequestListener): RequestListener {
  const own = [baseUrl, authUrl].map((url) => new URL(url).origin)
  const onRefused = (origin: string) =>
    logger.warn({ origin }, `a page of ${origin} was refused; CORS_ORIGINS=${origin} allows it`)
  return crossOrigin({ origins: corsOrigins ?? [], own, saysItself: isOAuth, onRefused }, answer)
}

/** RFC 9112 §3.2.2: a request may name the whole URL. */
const withoutOrigin = (url: string): string => url.replace(/^https?:\/\/[^/?#]*/i, '')

/** The one path below `/v1` that is no endpoint. */
const documentPath = '/v1/openapi.json'

const transportOf = (
  { runtime, calls, admission, onError }: Pick<Parts, 'runtime' | 'calls' | 'admission' | 'onError'>,
  exchanges: Pick<Transport, 'exchange' | 'challenge' | 'networkOf'>,
): Transport => ({
  ...exchanges,
  runtime,
  calls,
  readBody: bodyReader(admission),
  holdAnswer: (response, bytes, isRepeatable) => admission.holdAnswer(response, bytes, isRepeatable),
  letGo: (response) => admission.letGo(response),
  onError,
})

/** For the surface on which a call has one answer. */
const withoutStreams = (transport: Transport): Transport => ({
  ...transport,
  calls: transport.calls.filter(({ endpoint }) => !isStream(endpoint)),
})

type Answering = Pick<Transport, 'exchange' | 'challenge' | 'networkOf'> & {
  readonly monitoring: ReturnType<typeof monitoringRoutes>
}

/** Leads each request to what answers it. */
function routeRequests(
  options: AppOptions,
  { runtime, calls, keys, mailer, letters, signedFiles, admission, toolUsage, onError, ...oauthParts }: Parts,
  { monitoring, ...exchanges }: Answering,
): RequestListener {
  const { baseUrl, authUrl } = options
  const transport = transportOf({ runtime, calls, admission, onError }, exchanges)
  const { exchange } = transport
  const answering = withoutStreams(transport)
  // trpc-to-openapi, the two writers of documents and the pages are a third of the memory and half of the start: loaded
  // when a call asks.
  const actions = once(async () =>
    (await import('../http/actions.ts')).actionsSurface(answering, `${new URL(baseUrl).origin}/actions`),
  )
  const mcp = once(async () => (await import('../mcp/index.ts')).mcpEndpoint({ ...answering, usage: toolUsage }))
  const pages = once(async () =>
    (await import('./pages/people.ts')).peoplePages(options, {
      runtime,
      calls,
      exchange,
      readBody: transport.readBody,
      keys,
      mailer,
      onError,
      ...oauthParts,
    }),
  )
  const letterParts = { services: letters.services, exchange, limiter: runtime.arrivals, onError }
  const letterRoutes = once(async () => (await import('./pages/letters.ts')).letterPages(options, letterParts))
  const toLetters: RequestHandler = (request, response, next) =>
    void letterRoutes().then((handle) => handle(request, response, next), next)
  const toPages: RequestHandler = (request, response, next) =>
    void pages().then((handle) => handle(request, response, next), next)
  const documents = {
    [documentPath]: async () =>
      (await import('@kontor/contract/openapi')).toOpenApi(contract, { serverUrl: baseUrl, authUrl }),
    '/actions/openapi.json': async () => (await actions()).document(),
  }
  const app = express().disable('x-powered-by').disable('etag').set('query parser', false)
  app.use(monitoring)
  app.use(documentRoutes(documents, { baseUrl, authUrl }))
  app.use('/trpc', trpcMiddleware(transport))
  app.use(mcpPath, mcpMiddleware(answering, mcp, challengeOf(`${new URL(baseUrl).origin}${mcpPath}`)))
  app.use(
    '/actions',
    (request, response, next) => void actions().then(({ middleware }) => middleware(request, response, next), next),
  )
  app.use(['/email', `${new URL(authUrl).pathname.replace(/\/$/, '')}/email`], toLetters)
  app.use(toPages)
  app.use((request, response) => {
    void exchange(request, response, async () => {
      if (Object.hasOwn(documents, request.path))
        throw new Failure(
          { code: 'method_not_allowed', detail: `There is no ${request.method} ${request.path}. It accepts GET.` },
          { allow: ['GET', 'HEAD'] },
        )
      throw failure('not_found', 'There is nothing here. The API is at /v1, its reference at /docs.')
    })
  })
  const rest = restListener(transport)
  const files = fileListener(signedFiles, transport)
  return (request, response) => {
    const { url = '/' } = request
    if (!url.startsWith('/')) request.url = withoutOrigin(url)
    if (isSignedFile(request.url ?? '')) files(request, response)
    else if (isRest(request.url ?? '') && !request.url?.startsWith(documentPath)) rest(request, response)
    else app(request, response)
  }
}

/** Reads the pending work in the database. */
async function readBacklog(database: Database, clock: Clock): Promise<Backlog> {
  const now = clock.now()
  const [jobs, outbox, consumers, stoppedWebhooks, indexes] = await Promise.all([
    jobFacts(database, now),
    outboxFacts(database, now),
    cursorLags(database, now),
    countStopped(database),
    countIndexes(database.reader),
  ])
  return { jobs, outbox, consumers, stoppedWebhooks, indexes, nodesLost: database.reader.nodesLost }
}
