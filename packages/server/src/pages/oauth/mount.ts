import type { IncomingMessage } from 'node:http'
import cors from 'cors'
import { Router, type RequestHandler } from 'express'
import { apiSecurityHeaders, failureHeaders, send, type SendFailure } from '../../http/answer.ts'
import type { ReadBody } from '../../http/body.ts'
import type { Exchange } from '../../http/exchange.ts'
import { operationRoute } from '../../http/transport.ts'
import { isRecord, isString } from '../../lib/guards.ts'
import { once } from '../../lib/promises.ts'
import { addressBlock } from '../../http/network.ts'
import { redirect } from '../../http/pages/layout.ts'
import { readForm, sendFailurePage, type PageRoutes } from '../../http/pages/visit.ts'
import { resourceMetadata } from './resource-metadata.ts'
import { routes } from '../../http/oauth/routes.ts'
import type { OAuthServer } from './server.ts'
import type { OAuthServices } from './services.ts'

type Transport = { readonly exchange: Exchange; readonly readBody: ReadBody }

/** Where an app sends its secret, or what it was given: there a guess would show. */
const provesApp = (operation: string): boolean => ['token', 'revoke', 'introspect', 'device'].includes(operation)

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
export function oauthRoutes(services: OAuthServices, { exchange, readBody }: Transport, pages: PageRoutes): Router {
  const router = Router()
  const load = once(async () => {
    const [{ OAuthServer }, { answerConsent, showInteraction }] = await Promise.all([
      import('./server.ts'),
      import('./interaction.ts'),
    ])
    return { server: new OAuthServer(services), answerConsent, showInteraction }
  })
  const [route, pageRoute] = [operationRoute(exchange, sendOAuthFailure), operationRoute(exchange, sendFailurePage)]
  const handle = (
    operation: string,
    { path = (url: string) => url, by = route }: { path?: (url: string) => string; by?: typeof route } = {},
  ): RequestHandler =>
    by(`oauth:${operation}`, async (request, response, headers) => {
      if (provesApp(operation) && request.method === 'POST')
        services.tokenLimits.watch(request, addressBlock(request.ip ?? ''))
      for (const [name, value] of Object.entries({ ...protocolHeaders, ...headers })) response.setHeader(name, value)
      await (await load()).server.handle(request, response, path(request.url))
      services.tokenLimits.settle(request, response.statusCode)
    })
  router.get(routes.authorization, handle('authorize', { by: pageRoute }))
  router.get(`${routes.authorization}/:uid`, handle('resume', { by: pageRoute }))
  for (const [operation, path] of [
    ['token', routes.token],
    ['revoke', routes.revocation],
    ['introspect', routes.introspection],
    ['device', routes.deviceAuthorization],
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
  ownRoutes(router, services, { exchange, readBody })
  pages.get(`${routes.interaction}/:uid`, async (visit) => {
    const { server, showInteraction } = await load()
    await showInteraction(server, visit)
  })
  pages.post(`${routes.interaction}/:uid`, async (visit) => {
    const { server, answerConsent } = await load()
    await answerConsent(server, visit)
  })
  devicePages(pages, async () => (await load()).server)
  pages.get(routes.logout, async (visit) => (await import('./logout.ts')).showLogout(services, visit))
  pages.post(routes.logoutAnswer, async (visit) => (await import('./logout.ts')).answerLogout(services, visit))
  return router
}

/** The pages on which a person lets a device in. */
function devicePages(pages: PageRoutes, load: () => Promise<OAuthServer>): void {
  pages.get(routes.device, async (visit) => (await import('./device.ts')).showDeviceEntry(await load(), visit))
  pages.post(routes.device, async (visit) => (await import('./device.ts')).enterDeviceCode(await load(), visit), {
    limited: true,
  })
  pages.post(
    routes.deviceAnswer,
    async (visit) => (await import('./device.ts')).answerDeviceRequest(await load(), visit),
    { limited: true },
  )
}

/** Mounts the routes outside the library; none of them needs the library to be loaded. */
function ownRoutes(router: Router, services: OAuthServices, { exchange, readBody }: Transport): void {
  const route = operationRoute(exchange, sendOAuthFailure)
  const userinfo = route('oauth:userinfo', async (request, response, headers) =>
    (await import('./userinfo.ts')).userinfo(services, request, response, headers),
  )
  const registration = route('oauth:register', async (request, response, headers) => {
    const address = addressBlock(request.ip ?? '')
    await (await import('./registration.ts')).register(services, { request, response, headers, address, readBody })
  })
  // Browsers bring our cookies along to the address of a link, and not with the form of another site.
  const logout = route('oauth:logout', async (request, response) => {
    await readForm(request, response)
    const given = Object.entries<unknown>(isRecord(request.body) ? request.body : {})
    const query = given.flatMap(([name, value]) =>
      [value].flat().flatMap((one): [string, string][] => (isString(one) ? [[name, one]] : [])),
    )
    redirect(response, `${services.browser.path(routes.logout)}?${new URLSearchParams(query).toString()}`)
  })
  const metadataOf = (metadata: object) =>
    route('oauth:resource', async (_request, response, headers) => send(response, 200, metadata, headers))
  router
    .options(routes.userinfo, anyOrigin)
    .get(routes.userinfo, anyOrigin, userinfo)
    .post(routes.userinfo, anyOrigin, userinfo)
    .options(routes.registration, anyOrigin)
    .post(routes.registration, anyOrigin, registration)
    .post(routes.logout, logout)
  for (const [path, metadata] of resourceMetadata(services))
    router.options(path, anyOrigin).get(path, anyOrigin, metadataOf(metadata))
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
