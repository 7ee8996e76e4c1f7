import type { Provider } from 'oidc-provider'
import { failure } from '../../kernel/errors.ts'
import { readCookie } from '../../http/pages/cookies.ts'
import { html } from '../../lib/html.ts'
import type { Visit } from '../../http/pages/visit.ts'
import { chosenWorkspace, workspaceChoice } from './choice.ts'
import { consentPage, returnAddress, selfRegisteredWarning } from './consent-page.ts'
import { newGrant } from './grants.ts'
import { routes } from '../../http/oauth/routes.ts'
import { readScopes } from './scopes.ts'
import type { OAuthServer } from './server.ts'

type Interaction = InstanceType<Provider['Interaction']>

/** The longest e-mail address that there can be (RFC 5321 §4.5.3.1). */
const emailMax = 254

const interactionCookie = 'kontor_connect'

/** An authorization that waits for its person: they sign in, or say what the app may do. */
export async function showInteraction(server: OAuthServer, visit: Visit): Promise<void> {
  const { browser } = server.services
  const interaction = await find(server, visit)
  const { session } = visit
  const here = browser.path(`${routes.interaction}/${interaction.uid}`)
  if (interaction.prompt.name === 'consent')
    return session?.userId === interaction.session?.accountId
      ? showConsent(server, visit, interaction)
      : visit.goTo(beginAgain(server, interaction))
  // A person who was signed in before the app sent them here has not yet done what it asks for.
  if (session === undefined || session.sessionId === interaction.session?.uid)
    return visit.goTo(signInUrl(browser.signInUrl(here), interaction, session !== undefined))
  // The session is another one now, and the library would not go on with it.
  if (interaction.session !== undefined) Reflect.deleteProperty(interaction.session, 'uid')
  await finish(visit, interaction, {
    login: { accountId: session.userId, ts: Math.floor(session.authTime / 1000) },
    select_account: {},
  })
}

/** The sign-in page, also for a person who is signed in, with the e-mail address that the app expects. */
function signInUrl(url: string, { params }: Interaction, again: boolean): string {
  const hint = params['login_hint']
  const email = typeof hint === 'string' ? `&email=${encodeURIComponent(hint.slice(0, emailMax))}` : ''
  return `${url}${again ? '&again=1' : ''}${email}`
}

/** Handles the decision of a person on the request of an app. */
export async function answerConsent(server: OAuthServer, visit: Visit): Promise<void> {
  const { services } = server
  const interaction = await find(server, visit)
  const { session, form } = visit
  if (
    interaction.prompt.name !== 'consent' ||
    session === undefined ||
    session.userId !== interaction.session?.accountId
  )
    return visit.goTo(beginAgain(server, interaction))
  if (form['answer'] !== 'allow')
    return finish(visit, interaction, { error: 'access_denied', error_description: 'The person denied the request.' })
  const clientId = String(interaction.params['client_id'])
  const scopes = readScopes(interaction.params['scope'])
  const workspaceId = chosenWorkspace(
    await workspaceChoice(services, session.userId, clientId, scopes),
    form['workspace'],
  )
  if (workspaceId === undefined) return showConsent(server, visit, interaction, { isMissing: true })
  await services.consents.allow(session, clientId, { workspaceId, scopes })
  const grant = newGrant(
    await server.provider(),
    services.baseUrl,
    { userId: session.userId, clientId },
    { workspaceId, scopes },
  )
  await finish(visit, interaction, { consent: { grantId: await grant.save() } })
}

/** The interaction of this address, if it began in this browser. */
async function find(server: OAuthServer, { request, params }: Visit): Promise<Interaction> {
  const { uid = '' } = params
  const found =
    readCookie(request, interactionCookie) === uid ? await (await server.provider()).Interaction.find(uid) : undefined
  if (found === undefined)
    throw failure('not_found', 'This request of the app has expired. Go back to the app and start again.')
  return found
}

async function showConsent(
  { services }: OAuthServer,
  { show, csrf, session }: Visit,
  interaction: Interaction,
  { isMissing = false } = {},
): Promise<void> {
  const { client_id: clientId, redirect_uri: redirectUri } = interaction.params
  const userId = session?.userId ?? ''
  const scopes = readScopes(interaction.params['scope'])
  const [client, person, allowed] = await Promise.all([
    services.findClient(String(clientId)),
    services.findPerson(userId),
    services.consents.find(userId, String(clientId)),
  ])
  if (client === undefined || person === undefined)
    throw failure('not_found', 'The app, or your account, has been removed.')
  const choice = await workspaceChoice(services, userId, client.id, scopes)
  show(
    consentPage({
      app: client.name,
      warning: client.isSelfRegistered ? selfRegisteredWarning : undefined,
      person,
      scopes,
      allowed: [...new Set(allowed.flatMap((consent) => consent.scopes))],
      choice,
      isMissing,
      returnsTo: returnAddress(String(redirectUri)),
      csrf,
      action: services.browser.path(`${routes.interaction}/${interaction.uid}`),
      otherAccount: beginAgain({ services }, interaction, 'select_account'),
    }),
    { status: isMissing ? 422 : 200 },
  )
}

/**
 * Gives the library its answer and goes on. By a page and not by a redirect, which Chromium would refuse behind a form
 * that may lead to us alone.
 */
async function finish(
  { show }: Visit,
  interaction: Interaction,
  result: NonNullable<Interaction['result']>,
): Promise<void> {
  // Earlier decisions stay: a person who signed in again is not asked to do so after they have agreed.
  interaction.result = 'error' in result ? result : { ...interaction.lastSubmission, ...result }
  await interaction.persist()
  const { returnTo } = interaction
  show({
    title: 'One moment',
    continueTo: returnTo,
    body: html`<h1>One moment</h1><p>Redirecting… <a href="${returnTo}">Continue</a> if nothing happens.</p>`,
  })
}

/** The app's request once more, as it was sent. */
function beginAgain({ services }: Pick<OAuthServer, 'services'>, { params }: Interaction, prompt?: string): string {
  const given = Object.entries({ ...params, ...(prompt !== undefined && { prompt }) })
  const query = new URLSearchParams(
    given.flatMap(([name, value]): [string, string][] => (typeof value === 'string' ? [[name, value]] : [])),
  )
  return `${services.browser.path(routes.authorization)}?${query.toString()}`
}
