import type { IncomingMessage } from 'node:http'
import type { Provider } from 'oidc-provider'
import type { Browser } from '../../http/pages/browser.ts'

/**
 * Has the library take the session of the pages for its own, and keep none: signing out there signs out here.
 * To the library it is a session that ends with the request, so that it neither stores it nor sets a cookie.
 */
export function sharePagesSession(provider: Provider, browser: Browser): void {
  const { Session } = provider
  Session.get = async (ctx) => {
    const known = await browser.currentSession((ctx as { readonly req: IncomingMessage }).req)
    const session = new Session()
    if (known !== undefined)
      Object.assign(session, {
        accountId: known.userId,
        loginTs: Math.floor(known.authTime / 1000),
        uid: known.sessionId,
      })
    return Object.assign(session, { destroyed: true })
  }
}
