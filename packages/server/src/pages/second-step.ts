import type { PageAccounts } from './services/accounts.ts'
import type { Browser } from '../http/pages/browser.ts'
import { field, form, problem } from '../http/pages/forms.ts'
import { html, type Html } from '../lib/html.ts'
import { signInThrough } from './signed-in.ts'
import type { PageRoutes, Visit } from '../http/pages/visit.ts'

const texts = {
  wrong: 'This code is wrong, or was used before. Wait for the next one, or use a recovery code.',
  locked: 'Too many wrong codes. Wait 15 minutes.',
}

/** The field for a code of the app, or a recovery code. */
export const codeField = (error?: string, hint?: string): Html =>
  field(
    { name: 'code', label: 'Code', autocomplete: 'one-time-code', ...(hint !== undefined && { hint }) },
    error === undefined ? {} : { code: error },
  )

/** The text for a code that was refused. */
export const codeFault = (outcome: 'wrong' | 'locked'): string => texts[outcome]

type Step = { readonly pending: string; readonly returnTo: string | undefined; readonly error?: 'wrong' | 'locked' }

/** Asks for the second factor, after a first step. */
export function showSecondStep(browser: Browser, { csrf, show }: Visit, { pending, returnTo, error }: Step): void {
  const hidden = { pending, ...(returnTo !== undefined && { return_to: returnTo }) }
  const body = html`<h1>Enter your code</h1>
<p class="lead">Open your authenticator app, and enter the code for Kontor.</p>
${error === 'locked' && problem(texts.locked)}
${form(
  { action: browser.path('/auth/sign-in/code'), csrf, hidden },
  html`${codeField(error === 'wrong' ? texts.wrong : undefined, 'Without your device, enter a recovery code.')}
<div class="actions"><button type="submit">Continue</button></div>`,
)}
<p class="beside"><a href="${browser.path('/auth/sign-in')}">Back to sign-in</a></p>`
  const status = error === undefined ? 200 : error === 'locked' ? 429 : 422
  show({ title: error === undefined ? 'Enter your code' : 'Error: enter your code', body }, { status })
}

/** The second step of a sign-in. */
export function secondStepPages(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  routes.post(
    '/auth/sign-in/code',
    async (visit) => {
      const { pending = '', code = '' } = visit.form
      const returnTo = browser.returnTo(visit.form['return_to'])
      const outcome = await accounts.secondFactor.finish(pending, code, visit.request.headers['user-agent'])
      if (typeof outcome !== 'string') return signInThrough(visit, browser, accounts, outcome.token, returnTo)
      if (outcome === 'expired')
        return visit.goTo(browser.signInUrl(returnTo ?? browser.path('/auth/account'), { again: true }))
      showSecondStep(browser, visit, { pending, returnTo, error: outcome })
    },
    { limited: true },
  )
}
