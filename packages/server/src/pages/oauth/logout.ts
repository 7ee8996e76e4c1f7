import { compactVerify, createLocalJWKSet, decodeJwt } from 'jose'
import { failure } from '../../kernel/errors.ts'
import { html } from '../../lib/html.ts'
import { form } from '../../http/pages/forms.ts'
import type { Visit } from '../../http/pages/visit.ts'
import { routes } from '../../http/oauth/routes.ts'
import type { OAuthServices, SigningKey } from './services.ts'

/** Parameters of an app that signs its user out (OpenID Connect RP-Initiated Logout §2). */
const parameters = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state'] as const

type LogoutRequest = { readonly app: string | undefined; readonly returnTo: string | undefined }

/**
 * Asks a person whom an app has signed out whether this server shall do the same: their session here is that of all
 * apps. Who is not signed in is sent back at once.
 */
export async function showLogout(services: OAuthServices, visit: Visit): Promise<void> {
  const given = Object.fromEntries(visit.query)
  const asked = await askedOf(services, given)
  if (visit.session === undefined) return goOn(visit, asked)
  const hidden = Object.fromEntries(
    parameters.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]] as const])),
  )
  visit.show({
    title: 'Sign out',
    body: html`<h1>Sign out here too?</h1>
<p class="lead">${asked.app ?? 'An app'} has signed you out. You are still signed in on this server, for every app.</p>
${form(
  { action: services.browser.path(routes.logoutAnswer), csrf: visit.csrf, hidden },
  html`<div class="actions"><button name="answer" value="out">Sign out</button><button
  name="answer" value="stay" class="second">Stay signed in</button></div>`,
)}`,
  })
}

/** Handles the decision of the person to sign out. */
export async function answerLogout(services: OAuthServices, visit: Visit): Promise<void> {
  const { request, response, form: given } = visit
  const asked = await askedOf(services, given)
  const token = services.browser.sessionToken(request)
  if (given['answer'] !== 'stay' && token !== undefined) {
    await services.endSession(token)
    services.browser.dropSession(response)
  }
  goOn(visit, asked)
}

/** Which app asks, and the address to go on to: one of those that are registered for it, and no other. */
async function askedOf(
  services: OAuthServices,
  given: Readonly<Record<string, string | undefined>>,
): Promise<LogoutRequest> {
  const clientId = await clientIdOf(services, given)
  const client = clientId === undefined ? undefined : await services.findClient(clientId)
  const uri = given['post_logout_redirect_uri']
  if (uri === undefined) return { app: client?.name, returnTo: undefined }
  if (client?.redirectUris.includes(uri) !== true)
    throw failure('invalid_parameter', 'The app requested a redirect to an address that is not registered for it.', {
      source: { parameter: 'post_logout_redirect_uri' },
    })
  const returnTo = new URL(uri)
  if (given['state'] !== undefined) returnTo.searchParams.set('state', given['state'])
  return { app: client.name, returnTo: returnTo.href }
}

/** The app that the ID token was made for, or that names itself; where both are there, they are the same. */
async function clientIdOf(
  services: OAuthServices,
  { id_token_hint: hint, client_id: named }: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  if (hint === undefined) return named
  const client = await clientOfHint(await services.signingKeys(), hint)
  if (client === undefined || (named !== undefined && named !== client))
    throw failure('invalid_parameter', 'The ID token was not issued by this server for this app.', {
      source: { parameter: 'id_token_hint' },
    })
  return client
}

/** One that has expired will do (§4): it says no more than which app it was for. */
async function clientOfHint(keys: readonly SigningKey[], hint: string): Promise<string | undefined> {
  const known = createLocalJWKSet({
    keys: keys.map(({ kid, private_jwk: { d: _secret, ...jwk } }) => ({ ...jwk, kty: String(jwk['kty']), kid })),
  })
  try {
    await compactVerify(hint, known)
    const { aud } = decodeJwt(hint)
    return typeof aud === 'string' ? aud : undefined
  } catch {
    return undefined
  }
}

/** By a page and not by a redirect, which Chromium would refuse behind a form that may lead to us alone. */
function goOn({ show }: Visit, { app, returnTo }: LogoutRequest): void {
  const back = returnTo !== undefined && html` <a href="${returnTo}">Back to ${app ?? 'the app'}</a>`
  show({
    title: 'Signed out',
    body: html`<h1>Done</h1><p>You can close this page.${back}</p>`,
    ...(returnTo !== undefined && { continueTo: returnTo }),
  })
}
