import type { TokenSource } from '../connection.ts'
import { beginSignIn, finishSignIn } from './attempt.ts'
import { authorizationServer, type Tokens } from './authorization-server.ts'
import { browser, tabStore } from './surroundings.ts'

export { SignInFailed } from './attempt.ts'

export type SessionOptions = {
  /** Where people sign in: the `AUTH_URL` of the server, which has no path. */
  readonly authUrl: string
  /** The app, which is registered as a public one. */
  readonly clientId: string
  /** Scopes to request, beside staying signed in; by default all that the app is registered for. */
  readonly scope?: string
  /** Where people come back to, as it is registered; by default the root of the site. */
  readonly redirectUri?: string
  /** Told when the session has ended while it was used; by default people are sent to sign in again. */
  readonly onSignedOut?: () => void
}

/** A person who signs in to a page, for as long as its tab is open. */
export type BrowserSession = {
  /**
   * Call it first: takes up the session of the tab, or begins one with what the person has come back with from signing
   * in, and leads the address back to where they were. False where nobody is signed in. Throws SignInFailed.
   */
  readonly resume: () => Promise<boolean>
  /** Leaves the page: the person signs in, and comes back to this address. */
  readonly signIn: () => Promise<never>
  /** For the connection of a client; asks for another token where one was refused. */
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
