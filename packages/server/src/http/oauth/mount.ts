import type { IncomingMessage } from 'node:http'
import cors from 'cors'
import { Router, type RequestHandler } from 'express'
import { apiSecurityHeaders, failureHeaders, send, type SendFailure } from '../answer.ts'
import type { Exchange } from '../exchange.ts'
import { once } from '../../lib/once.ts'
import { addressBlock } from '../pages/address.ts'
import { sendFailurePage, type PageRoutes } from '../pages/visit.ts'
import { routes } from './routes.ts'
import type { OAuthServices } from './services.ts'

/** Where an app sends its secret, or what it was given: there a guess would show. */
const provesApp = (operation: string): boolean => ['token', 'revoke'].includes(operation)

/** Browsers of any origin may ask: who answers is said by the token and never by a cookie. */
const anyOrigin = cors({ origin: '*', methods: ['GET', 'POST'], exposedHeaders: ['WWW-Authenticate'], maxAge: 7200 })

/**
 * The library adds the hash of its own script where an app wants its answer posted, if there is a rule for scripts to
 * add it to.
 */
const protocolHeaders = {
  ...apiSecurityHeaders,
  'Content-Security-Policy': "default-src 'none'; script-src 'self'; frame-ancestors 'none'; base-uri 'none'",
}

/**
 * The endpoints of OAuth 2.0 and OpenID Connect, and the pages between them. The library behind them is loaded on
 * the first request for one: most servers start and rest without it.
 */
export function oauthRoutes(services: OAuthServices, exchange: Exchange, pages: PageRoutes): Router {
  const router = Router()
  const load = once(async () => {
    const [{ OAuthServer }, { answerConsent, showInteraction }] = await Promise.all([
      import('./server.ts'),
      import('./interaction.ts'),
    ])
    return { server: new OAuthServer(services), answerConsent, showInteraction }
  })
  const handle =
    (operation: string, { path = (url: string) => url, refuse = sendOAuthFailure } = {}): RequestHandler =>
    (request, response) =>
      void exchange(
        request,
        response,
        async (_requestId, headers, note) => {
          note.operation = `oauth:${operation}`
          if (provesApp(operation) && request.method === 'POST')
            services.tokenLimits.watch(request, addressBlock(request.ip ?? ''))
          for (const [name, value] of Object.entries({ ...protocolHeaders, ...headers }))
            response.setHeader(name, value)
          await (await load()).server.handle(request, response, path(request.url))
          services.tokenLimits.settle(request, response.statusCode)
        },
        refuse,
      )
  router.get(routes.authorization, handle('authorize', { refuse: sendFailurePage }))
  router.get(`${routes.authorization}/:uid`, handle('resume', { refuse: sendFailurePage }))
  for (const [operation, path] of [
    ['token', routes.token],
    ['revoke', routes.revocation],
  ] as const)
    router.post(path, handle(operation)).options(path, handle(operation))
  for (const [operation, path] of [
    ['jwks', routes.jwks],
    ['discovery', routes.openidDiscovery],
    ['discovery', routes.oauthDiscovery],
  ] as const)
    router.get(path, handle(operation)).options(path, handle(operation))
  // RFC 8414 §3.1 puts the path of an issuer behind the well-known one.
  if (services.browser.prefix !== '')
    router.get(
      routes.oauthDiscovery + services.browser.prefix,
      handle('discovery', { path: () => routes.oauthDiscovery }),
    )
  const userinfo: RequestHandler = (request, response) =>
    void exchange(
      request,
      response,
      async (_requestId, headers, note) => {
        note.operation = 'oauth:userinfo'
        await (await import('./userinfo.ts')).userinfo(services, request, response, headers)
      },
      sendOAuthFailure,
    )
  router
    .options(routes.userinfo, anyOrigin)
    .get(routes.userinfo, anyOrigin, userinfo)
    .post(routes.userinfo, anyOrigin, userinfo)
  pages.get(`${routes.interaction}/:uid`, async (visit) => {
    const { server, showInteraction } = await load()
    await showInteraction(server, visit)
  })
  pages.post(`${routes.interaction}/:uid`, async (visit) => {
    const { server, answerConsent } = await load()
    await answerConsent(server, visit)
  })
  return router
}

/** RFC 6749 §5.2 has its own form of errors. */
const sendOAuthFailure: SendFailure = (_request: IncomingMessage, response, error, requestId, headers) => {
  const code = [429, 503].includes(error.status)
    ? 'temporarily_unavailable'
    : error.status >= 500
      ? 'server_error'
      : 'invalid_request'
  send(
    response,
    error.status,
    { error: code, error_description: `${error.message} (request ${requestId})` },
    { ...headers, ...failureHeaders(error) },
  )
}
