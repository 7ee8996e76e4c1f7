import type { PageAccounts } from './services/accounts.ts'
import type { Browser, BrowserSession } from '../http/pages/browser.ts'
import { html } from '../lib/html.ts'
import type { Visit } from '../http/pages/visit.ts'

/**
 * Remembers a new session in the browser and lets it go on. What it goes on to may lead to another site, and Chromium
 * follows no form there that was not announced; so a page stands between, which goes on by itself.
 */
export async function signInThrough(
  { request, response, show, goTo }: Visit,
  browser: Browser,
  accounts: PageAccounts,
  token: string,
  returnTo: string | undefined,
): Promise<void> {
  const before = browser.sessionToken(request)
  if (before !== undefined) await accounts.endSession(before)
  browser.keepSession(response, token, accounts.sessionSeconds)
  if (returnTo === undefined) return goTo(browser.path('/auth/account'))
  const body = html`<h1>You are signed in</h1>
<p>Continuing…</p>
<div class="actions"><a class="button" href="${returnTo}">Continue</a></div>`
  show({ title: 'Signed in', body, continueTo: returnTo })
}

/**
 * A page where something is made that outlives the session. Another person who finds the browser open must not do so:
 * the password is asked for again where it was given too long ago, and `hereOf` is where the person then goes on.
 */
export const forSignedInNow = (
  browser: Browser,
  { isRecent }: PageAccounts,
  hereOf: (visit: Visit) => string,
  handler: SignedInHandler,
) =>
  forSignedIn(browser, async (visit) =>
    isRecent(visit.session.authTime) ? handler(visit) : visit.goTo(browser.signInUrl(hereOf(visit), { again: true })),
  )

type SignedInHandler = (visit: Visit & { readonly session: BrowserSession }) => Promise<void>

/**
 * A page of a person's own; who is signed out signs in first, and comes back to it, or from a form to their account.
 */
export const forSignedIn =
  (browser: Browser, handler: SignedInHandler) =>
  async (visit: Visit): Promise<void> => {
    const { session, request } = visit
    if (session !== undefined) return handler({ ...visit, session })
    const here = request.method === 'GET' ? browser.returnTo(browser.prefix + (request.url ?? '')) : undefined
    visit.goTo(browser.signInUrl(here ?? browser.path('/auth/account')))
  }
