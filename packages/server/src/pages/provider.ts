import type { PageAccounts } from './services/accounts.ts'
import type { Browser } from '../http/pages/browser.ts'
import { html, type Content } from '../lib/html.ts'
import { failure } from '../kernel/errors.ts'
import { showSecondStep } from './second-step.ts'
import { signInThrough } from './signed-in.ts'
import type { PageRoutes, Visit } from '../http/pages/visit.ts'

/** Links that begin a sign-in at each provider. */
export const providerLinks = (
  browser: Browser,
  { providers }: PageAccounts,
  { returnTo, again }: { readonly returnTo: string | undefined; readonly again: boolean },
): Content => {
  const query = new URLSearchParams({
    ...(returnTo !== undefined && { return_to: returnTo }),
    ...(again && { again: '1' }),
  }).toString()
  return (
    providers.all.length > 0 &&
    html`<div class="actions">${providers.all.map(
      ({ id, name }) =>
        html`<a class="button second" href="${browser.path(`/auth/provider/${id}`)}${
          query !== '' && `?${query}`
        }">Continue with ${name}</a>`,
    )}</div>`
  )
}

/** Signing in by another provider. */
export function providerPages(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  const { providers } = accounts

  routes.get('/auth/provider/:id', async ({ params, query, response, goTo }) => {
    const begun = await providers.begin(params['id'] ?? '', {
      returnTo: browser.returnTo(query.get('return_to')),
      again: query.has('again'),
    })
    if (begun === undefined) throw failure('not_found', 'This sign-in provider does not exist.')
    browser.keepVisit(response, begun.kept)
    goTo(begun.url)
  })

  routes.get('/auth/provider/:id/callback', async (visit) => {
    const { params, query, request, response } = visit
    const userAgent = request.headers['user-agent']
    const outcome = await providers.finish(params['id'] ?? '', query, browser.keptVisit(request), userAgent)
    browser.keepVisit(response, '')
    if ('token' in outcome) return signInThrough(visit, browser, accounts, outcome.token, outcome.returnTo)
    if ('pending' in outcome) return showSecondStep(browser, visit, outcome)
    showRefusal(visit, outcome)
  })

  function showRefusal(
    { show }: Visit,
    outcome:
      | { readonly refused: 'failed' | 'unverified' }
      | { readonly refused: 'unknown' | 'other'; readonly email: string },
  ): void {
    const texts = {
      failed: 'The provider did not sign you in, or it took more than 15 minutes. Try again.',
      unverified: 'The provider has not verified your e-mail address, so it cannot be used here.',
      unknown: 'There is no account with the address of the provider. Ask an admin of your workspace to invite you.',
      other:
        'The account with this address is connected to another account of the provider. If it is yours, sign in with ' +
        'your password and disconnect the provider on your account page. Otherwise the address had another owner ' +
        'before: ask the operator of this server.',
    }
    const body = html`<h1>You are not signed in</h1>
<p>${texts[outcome.refused]}</p>
${'email' in outcome && html`<p class="soft">${outcome.email}</p>`}
<div class="actions"><a class="button" href="${browser.path('/auth/sign-in')}">Back to sign-in</a></div>`
    show({ title: 'You are not signed in', body }, { status: 403 })
  }
}
