import { Failure, failure } from '../../kernel/errors.ts'
import type { BrowserSession } from '../../http/pages/browser.ts'
import type { Visit } from '../../http/pages/visit.ts'
import { chosenWorkspace, workspaceChoice } from './choice.ts'
import { consentPage } from './consent-page.ts'
import { answerDevice, findDeviceRequest, takeDeviceRequest, type DeviceRequest } from './device-codes.ts'
import { deviceDonePage, deviceEntryPage, deviceWarning } from './device-page.ts'
import { newGrant } from './grants.ts'
import { routes } from '../../http/oauth/routes.ts'
import { readScopes } from './scopes.ts'
import type { OAuthServer } from './server.ts'

const unknownCode =
  'This code is wrong, was used before, or is older than ten minutes. Check it, or start again on the device.'

/** Where a device sends its person (RFC 8628 §3.3); a link may bring the code, and enters nothing. */
export function showDeviceEntry({ services: { browser } }: OAuthServer, visit: Visit): void {
  const typed = visit.query.get('user_code') ?? ''
  if (visit.session === undefined) return visit.goTo(browser.signInUrl(entryUrl(browser.path(routes.device), typed)))
  showEntry(browser.path(routes.device), visit, typed)
}

const entryUrl = (page: string, typed: string): string =>
  typed === '' ? page : `${page}?user_code=${encodeURIComponent(typed)}`

function showEntry(action: string, { show, csrf }: Visit, typed: string, error?: string): void {
  show(deviceEntryPage({ csrf, action, typed, ...(error !== undefined && { error }) }), {
    status: error === undefined ? 200 : 422,
  })
}

/** Handles the code that a person typed: the next page shows the app and the scopes that it requests. */
export async function enterDeviceCode(server: OAuthServer, visit: Visit): Promise<void> {
  const asked = await askedFor(server, visit)
  if (asked !== undefined) await showConsent(server, visit, asked)
}

/** Handles the decision of the person; the first of two decisions counts. */
export async function answerDeviceRequest(server: OAuthServer, visit: Visit): Promise<void> {
  const { services } = server
  const asked = await askedFor(server, visit)
  if (asked === undefined) return
  const { request, session } = asked
  const { form } = visit
  // A person who has signed in meanwhile has not read the page.
  if (form['person'] !== session.userId) return showConsent(server, visit, asked)
  const { name = '' } = (await services.findClient(request.clientId)) ?? {}
  const scopes = readScopes(request.scope)
  const choice = await workspaceChoice(services, session.userId, request.clientId, scopes)
  const workspaceId = chosenWorkspace(choice, form['workspace'])
  const isAllowed = form['answer'] === 'allow'
  if (isAllowed && workspaceId === undefined) return showConsent(server, visit, asked, { isMissing: true })
  if (!(await takeDeviceRequest(services, request)))
    return showEntry(services.browser.path(routes.device), visit, '', unknownCode)
  if (isAllowed && workspaceId !== undefined) await allow(server, asked, { workspaceId, scopes })
  else
    await answerDevice(services, request, {
      error: 'access_denied',
      errorDescription: 'The person denied the request.',
    })
  visit.show(deviceDonePage(isAllowed, name))
}

type DevicePage = { readonly request: DeviceRequest; readonly session: BrowserSession }

/** Which request a person has typed the code of; where there is none, they have been shown what to do. */
async function askedFor({ services }: OAuthServer, visit: Visit): Promise<DevicePage | undefined> {
  const { session, form } = visit
  const page = services.browser.path(routes.device)
  const typed = (form['user_code'] ?? '').slice(0, 100)
  if (session === undefined) {
    visit.goTo(services.browser.signInUrl(entryUrl(page, typed)))
    return undefined
  }
  const { allowed, retryAfterSeconds } = services.devices.tries.take(session.userId)
  if (!allowed) {
    const detail = `Too many codes. Wait ${retryAfterSeconds} seconds, then try again.`
    throw new Failure({ code: 'rate_limited', detail }, { retryAfterSeconds })
  }
  const request = await findDeviceRequest(services, typed)
  if (request === undefined) showEntry(page, visit, typed, unknownCode)
  return request && { request, session }
}

async function allow(
  server: OAuthServer,
  { request, session }: DevicePage,
  consent: { readonly workspaceId: string | null; readonly scopes: readonly string[] },
): Promise<void> {
  const { services } = server
  const { userId } = session
  await services.consents.allow(session, request.clientId, consent)
  const grant = newGrant(await server.provider(), services.baseUrl, { userId, clientId: request.clientId }, consent)
  await answerDevice(services, request, {
    accountId: userId,
    grantId: await grant.save(),
    authTime: Math.floor(session.authTime / 1000),
    scope: consent.scopes.join(' '),
    resource: services.baseUrl,
    sessionUid: session.sessionId,
  })
}

async function showConsent(
  { services }: OAuthServer,
  { show, csrf }: Visit,
  { request, session: { userId } }: DevicePage,
  { isMissing = false } = {},
): Promise<void> {
  const { browser } = services
  const scopes = readScopes(request.scope)
  const [client, person, allowed] = await Promise.all([
    services.findClient(request.clientId),
    services.findPerson(userId),
    services.consents.find(userId, request.clientId),
  ])
  if (client === undefined || person === undefined)
    throw failure('not_found', 'The app, or your account, has been removed.')
  show(
    consentPage({
      app: client.name,
      warning: deviceWarning(request.userCode),
      person,
      scopes,
      allowed: [...new Set(allowed.flatMap((consent) => consent.scopes))],
      choice: await workspaceChoice(services, userId, client.id, scopes),
      isMissing,
      returnsTo: 'another device or a command line',
      csrf,
      action: browser.path(routes.deviceAnswer),
      hidden: { user_code: request.userCode, person: userId },
      otherAccount: browser.signInUrl(entryUrl(browser.path(routes.device), request.userCode), { again: true }),
    }),
    { status: isMissing ? 422 : 200 },
  )
}
