import * as oauth from 'oauth4webapi'
import type { AuthorizationServer, Tokens } from './authorization-server.ts'
import { browser, type TabStore } from './surroundings.ts'

/** A person came back without having let the app in. */
export class SignInFailed extends Error {
  override readonly name = 'SignInFailed'
  /** As OAuth names it: `access_denied` where they said no. */
  readonly code: string

  constructor({ error, error_description: description }: oauth.AuthorizationResponseError) {
    super(description ?? error)
    this.code = error
  }
}

type Attempt = { readonly verifier: string; readonly state: string; readonly from: string }

/** State of a sign-in that is kept while the browser is on another page. */
type Setting = { readonly server: AuthorizationServer; readonly store: TabStore; readonly redirectUri: string }

/** Leads the person to where they sign in. */
export async function beginSignIn({ server, store, redirectUri }: Setting, scope: string): Promise<never> {
  const verifier = oauth.generateRandomCodeVerifier()
  const attempt: Attempt = { verifier, state: oauth.generateRandomState(), from: browser().location.href }
  const url = await server.signInUrl({
    redirect_uri: redirectUri,
    scope: `openid offline_access ${scope}`.trim(),
    state: attempt.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  })
  store.set('attempt', JSON.stringify(attempt))
  browser().location.assign(url)
  return new Promise(() => undefined)
}

/** Completes a sign-in if the person has just returned with one, and restores the address that they had left. */
export async function finishSignIn({ server, store, redirectUri }: Setting): Promise<Tokens | undefined> {
  const stored = store.get('attempt')
  const address = new URL(browser().location.href)
  if (stored === undefined || !address.searchParams.has('state')) return undefined
  const { verifier, state, from } = JSON.parse(stored) as Attempt
  store.remove('attempt')
  browser().history.replaceState(null, '', from)
  return server.redeem(address, redirectUri, verifier, state).catch((error: unknown) => {
    throw error instanceof oauth.AuthorizationResponseError ? new SignInFailed(error) : error
  })
}
