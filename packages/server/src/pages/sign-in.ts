import { trimInvisible } from '@kontor/contract'
import type { PageAccounts } from './services/accounts.ts'
import type { Browser } from '../http/pages/browser.ts'
import { field, form, problem, success } from '../http/pages/forms.ts'
import { html, type Content } from '../lib/html.ts'
import { passkeyScript } from './passkey-script.ts'
import { passkeySignIn } from './passkeys.ts'
import { providerLinks } from './provider.ts'
import { showSecondStep } from './second-step.ts'
import { signInThrough } from './signed-in.ts'
import type { PageRoutes, Visit } from '../http/pages/visit.ts'

/** Shown on the page to a person who comes from another one. */
const notices: Readonly<Record<string, string>> = {
  password: 'Your password is set. Sign in with it.',
  out: 'You are signed out.',
}

const wrong = 'The e-mail address or the password is wrong.'
const locked = 'Too many wrong passwords for this address. Wait 15 minutes, or choose a new password.'

/** Signing in. */
export function signInPages(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  routes.get('/auth', ({ goTo }) => goTo(browser.path('/auth/account')))

  routes.get('/auth/sign-in', async (visit) => {
    const { session, query, goTo } = visit
    const returnTo = browser.returnTo(query.get('return_to'))
    if (session !== undefined && !query.has('again')) goTo(returnTo ?? browser.path('/auth/account'))
    else
      return showForm(browser, accounts, visit, {
        returnTo,
        email: query.get('email') ?? undefined,
        notice: notices[query.get('notice') ?? ''],
      })
  })

  routes.post(
    '/auth/sign-in',
    async (visit) => {
      const { email = '', password = '' } = visit.form
      const returnTo = browser.returnTo(visit.form['return_to'])
      const outcome = await accounts.passwords.signIn(
        trimInvisible(email),
        password,
        visit.request.headers['user-agent'],
      )
      if (typeof outcome !== 'string')
        return 'pending' in outcome
          ? showSecondStep(browser, visit, { pending: outcome.pending, returnTo })
          : signInThrough(visit, browser, accounts, outcome.token, returnTo)
      await showForm(browser, accounts, visit, {
        returnTo,
        email,
        error: outcome === 'locked' ? locked : wrong,
        status: outcome === 'locked' ? 429 : 422,
      })
    },
    { limited: true },
  )
}

type Shown = {
  readonly returnTo: string | undefined
  readonly email?: string | undefined
  readonly error?: string
  readonly notice?: string | undefined
  readonly status?: number
}

async function showForm(
  browser: Browser,
  accounts: PageAccounts,
  { csrf, show, session }: Visit,
  { returnTo, email, error, notice, status = 200 }: Shown,
): Promise<void> {
  const app = returnTo === undefined ? undefined : await accounts.requestingApp(returnTo)
  const message: Content = error === undefined ? notice !== undefined && success(notice) : problem(error)
  const body = html`<h1>Sign in</h1>
${app !== undefined && html`<p class="lead">to continue to <strong>${app}</strong></p>`}
${message}
${form(
  { action: browser.path('/auth/sign-in'), csrf, ...(returnTo !== undefined && { hidden: { return_to: returnTo } }) },
  html`
${field({
  name: 'email',
  label: 'E-mail address',
  type: 'email',
  autocomplete: 'username',
  ...(email !== undefined && { value: email }),
})}
${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' })}
<div class="actions"><button type="submit">Sign in</button></div>`,
)}
${passkeySignIn(browser, csrf, { options: await accounts.passkeys.signInOptions(), returnTo })}
${providerLinks(browser, accounts, { returnTo, again: session !== undefined })}
<p class="beside"><a href="${browser.path('/auth/reset')}">Forgot your password?</a></p>`
  show({ title: error === undefined ? 'Sign in' : 'Error: sign in', body, script: passkeyScript }, { status })
}

/** Signing out of this browser. */
export function signOutPages(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  routes.get('/auth/sign-out', (visit) => {
    const body = html`<h1>Sign out</h1>
<p>This ends your session in this browser.</p>
${form(
  { action: browser.path('/auth/sign-out'), csrf: visit.csrf },
  html`<div class="actions"><button type="submit">Sign out</button></div>`,
)}`
    visit.show({ title: 'Sign out', body })
  })

  routes.post('/auth/sign-out', async ({ request, response, goTo }) => {
    const token = browser.sessionToken(request)
    if (token !== undefined) await accounts.endSession(token)
    browser.dropSession(response)
    goTo(`${browser.path('/auth/sign-in')}?notice=out`)
  })
}
