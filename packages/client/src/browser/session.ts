import type { TokenSource } from '../connection.ts'
import { beginSignIn, finishSignIn } from './attempt.ts'
import { authorizationServer, type Tokens } from './authorization-server.ts'
import { browser, tabStore } from './surroundings.ts'

export { SignInFailed } from './attempt.ts'

export type SessionOptions = {
  /** The address at which people sign in: the `AUTH_URL` of the server, without a path. */
  readonly authUrl: string
  /** The client id of the app, which is registered as a public one. */
  readonly clientId: string
  /** Scopes to request, separated by spaces; by default all scopes that the app is registered for. */
  readonly scope?: string
  /** The registered redirect URI; by default the root of the site. */
  readonly redirectUri?: string
  /** Called when the session has ended; by default people are sent to the sign-in page. */
  readonly onSignedOut?: () => void
}

/** A person who signs in to a page, for as long as its tab is open. */
export type BrowserSession = {
  /**
   * Call it first: continues the session of the tab, or starts one if the person returns from signing in, and restores
   * the address at which they were. Returns false if no person is signed in. Throws SignInFailed.
   */
  readonly resume: () => Promise<boolean>
  /** Leaves the page: the person signs in, and returns to this address. */
  readonly signIn: () => Promise<never>
  /** The `accessToken` of a client's connection; requests another token if one was rejected. */
  readonly accessToken: TokenSource
  /** Ends the session here and on the server. */
  readonly signOut: () => Promise<void>
}

/** Signs people in to a page by OAuth with PKCE; the refresh token is kept in the tab, the access token in memory. */
export function createBrowserSession({
  authUrl,
  clientId,
  scope = '',
  redirectUri = `${browser().location.origin}/`,
  onSignedOut,
}: SessionOptions): BrowserSession {
  const server = authorizationServer(authUrl, clientId)
  const store = tabStore(clientId)
  const setting = { server, store, redirectUri }
  const signIn = (): Promise<never> => beginSignIn(setting, scope)
  let token: string | undefined
  let refreshing: Promise<void> | undefined
  let resuming: Promise<boolean> | undefined

  const keep = ({ access, refresh }: Tokens): void => {
    token = access
    if (refresh !== undefined) store.set('refresh_token', refresh)
  }
  const forget = (): void => {
    token = undefined
    store.remove('refresh_token')
  }

  async function renew(): Promise<void> {
    const stored = store.get('refresh_token')
    const tokens = stored === undefined ? undefined : await server.refresh(stored)
    if (tokens !== undefined) return keep(tokens)
    forget()
    if (onSignedOut === undefined) return signIn()
    onSignedOut()
    throw new Error('The session has ended. Sign in again.')
  }

  return {
    // Frameworks that try effects twice call it twice, and a code can be redeemed once.
    resume: () =>
      (resuming ??= finishSignIn(setting)
        .then((tokens) => {
          if (tokens !== undefined) keep(tokens)
          return token !== undefined || store.get('refresh_token') !== undefined
        })
        .finally(() => (resuming = undefined))),
    signIn,
    async accessToken(refused) {
      if (token === undefined || token === refused)
        await (refreshing ??= renew().finally(() => (refreshing = undefined)))
      return token as string
    },
    async signOut() {
      const stored = store.get('refresh_token')
      forget()
      if (stored !== undefined) await server.revoke(stored)
    },
  }
}
