import type { PageAccounts } from './accounts.ts'
import type { Browser, BrowserSession } from './browser.ts'
import { html } from './html.ts'
import type { Visit } from './visit.ts'

/**
 * Remembers a new session in the browser and lets it go on. What it goes on to may lead to another site, and Chromium follows no
 * form there that was not announced; so a page stands between, which goes on by itself.
 */
export async function signInThrough({ request, response, show, goTo }: Visit, browser: Browser, accounts: PageAccounts, token: string, returnTo: string | undefined): Promise<void> {
  const before = browser.sessionToken(request)
  if (before !== undefined) await accounts.endSession(before)
  browser.keepSession(response, token, accounts.sessionSeconds)
  if (returnTo === undefined) return goTo(browser.path('/auth/account'))
  const body = html`<h1>You are signed in</h1>
<p>Going on…</p>
<div class="actions"><a class="button" href="${returnTo}">Continue</a></div>`
  show({ title: 'Signed in', body, continueTo: returnTo })
}

/** A page of somebody's own; others sign in first, and come back to it. */
export const forSignedIn =
  (browser: Browser, handler: (visit: Visit & { readonly session: BrowserSession }) => Promise<void>) =>
  async (visit: Visit): Promise<void> => {
    const { session } = visit
    if (session === undefined) visit.goTo(browser.signInUrl(browser.path('/auth/account')))
    else await handler({ ...visit, session })
  }
