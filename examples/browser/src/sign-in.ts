import * as oauth from 'openid-client'

/** Set by `.env.local`: see the README. */
export const kontorUrl = String(import.meta.env['VITE_KONTOR_URL'] ?? 'http://127.0.0.1:4000')
const clientId = String(import.meta.env['VITE_CLIENT_ID'] ?? '')

let token: string | undefined
let refreshing: Promise<void> | undefined

// Plain http is for a server on this machine: leave the last argument out where Kontor has https.
const server = oauth.discovery(new URL(kontorUrl), clientId, undefined, oauth.None(), {
  execute: [oauth.allowInsecureRequests],
})

function keep({ access_token, refresh_token }: oauth.TokenEndpointResponse): void {
  token = access_token
  if (refresh_token !== undefined) sessionStorage.setItem('refresh_token', refresh_token)
}

/** Sends the person to Kontor, which sends them back with a code. */
async function signIn(): Promise<never> {
  const attempt = { pkceCodeVerifier: oauth.randomPKCECodeVerifier(), expectedState: oauth.randomState() }
  sessionStorage.setItem('attempt', JSON.stringify(attempt))
  const url = oauth.buildAuthorizationUrl(await server, {
    redirect_uri: `${location.origin}/`,
    scope: 'openid offline_access records:read records:write events:read',
    state: attempt.expectedState,
    code_challenge: await oauth.calculatePKCECodeChallenge(attempt.pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  location.assign(url)
  return new Promise(() => undefined)
}

async function refresh(): Promise<void> {
  const stored = sessionStorage.getItem('refresh_token')
  if (stored === null) return signIn()
  try {
    keep(await oauth.refreshTokenGrant(await server, stored))
  } catch (error) {
    if (!(error instanceof oauth.ResponseBodyError)) throw error
    return signIn()
  }
}

/** Redeems the code that the person came back with, if they did. */
export async function finishSignIn(): Promise<void> {
  const attempt = sessionStorage.getItem('attempt')
  if (attempt === null || !location.search.includes('state=')) return
  sessionStorage.removeItem('attempt')
  const checks = JSON.parse(attempt) as oauth.AuthorizationCodeGrantChecks
  const address = new URL(location.href)
  history.replaceState(null, '', '/')
  keep(await oauth.authorizationCodeGrant(await server, address, checks))
}

/** The access token of the person who is signed in; another one where it was refused. */
export async function accessToken(refused?: string): Promise<string> {
  if (token === undefined || token === refused) await (refreshing ??= refresh().finally(() => (refreshing = undefined)))
  return token ?? ''
}
