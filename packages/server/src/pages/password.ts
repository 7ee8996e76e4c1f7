import { trimInvisible } from '@kontor/contract'
import type { Found, PageAccounts } from './services/accounts.ts'
import type { Browser } from '../http/pages/browser.ts'
import { field, form, success, type FieldErrors } from '../http/pages/forms.ts'
import { html, type Html } from '../lib/html.ts'
import { signInThrough } from './signed-in.ts'
import type { PageRoutes, Visit } from '../http/pages/visit.ts'

const newPasswordHint = 'At least 12 characters. A few unrelated words are strong, and easy to remember.'

/** The field for a new password, as every form has it. An error says what the hint would. */
export const newPasswordField = (errors: FieldErrors, label = 'New password'): Html =>
  field(
    {
      name: 'password',
      label,
      type: 'password',
      autocomplete: 'new-password',
      ...(errors['password'] === undefined && { hint: newPasswordHint }),
    },
    errors,
  )

/** Longer addresses do not exist (RFC 5321 §4.5.3.1.3). */
const addressMax = 254

/** For those who have forgotten their password, or have none yet. */
export function passwordPages(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  linkPages(routes, browser, accounts)
  choicePages(routes, browser, accounts)
}

/** Asking for a link by e-mail. */
function linkPages(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  routes.get('/auth/reset', (visit) => showRequest(visit, {}))

  routes.post(
    '/auth/reset',
    (visit) => {
      const address = trimInvisible(visit.form['email'] ?? '')
      if (address.length > addressMax || !/^[^\s@]+@[^\s@]+$/.test(address))
        return showRequest(visit, { email: 'Enter an e-mail address, such as name@example.com.' }, address)
      accounts.passwords.requestLink(address)
      const body = html`<h1>Check your e-mail</h1>
${success('If an account with this address exists, we have sent it a link to choose a new password.')}
<p>The link works once, for an hour. If this server sends no e-mail, its operator can find the link in the log.</p>
<p class="beside"><a href="${browser.path('/auth/sign-in')}">Back to sign-in</a></p>`
      visit.show({ title: 'Check your e-mail', body })
    },
    { limited: true },
  )

  function showRequest({ csrf, show }: Visit, errors: FieldErrors, email = ''): void {
    const body = html`<h1>Choose a new password</h1>
<p class="lead">We send a link to your e-mail address.</p>
${form(
  { action: browser.path('/auth/reset'), csrf },
  html`
${field({ name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username', value: email }, errors)}
<div class="actions"><button type="submit">Send the link</button></div>`,
)}
<p class="beside"><a href="${browser.path('/auth/sign-in')}">Back to sign-in</a></p>`
    show({ title: 'Choose a new password', body }, { status: errorStatus(errors) })
  }
}

/** Following the link, and choosing a new password. */
function choicePages(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  routes.get('/auth/password', async (visit) => {
    const token = visit.query.get('token') ?? ''
    const owner = await accounts.passwords.describeLinkOwner(token)
    if (owner === undefined) showUsedUp(visit)
    else showChoice(visit, { token, ...owner, errors: {} })
  })

  routes.post(
    '/auth/password',
    async (visit) => {
      const { token = '', password = '' } = visit.form
      const owner = await accounts.passwords.describeLinkOwner(token)
      if (owner === undefined) return showUsedUp(visit)
      const fault = await accounts.passwordFault(password, owner.email)
      if (fault !== undefined) return showChoice(visit, { token, ...owner, errors: { password: fault } })
      const set = await accounts.passwords.usePasswordLink(token, password)
      if (set === undefined) return showUsedUp(visit)
      if (set.isFirst) {
        const session = await accounts.startSession(set.userId, visit.request.headers['user-agent'])
        return signInThrough(visit, browser, accounts, session, undefined)
      }
      browser.dropSession(visit.response)
      visit.goTo(`${browser.signInUrl(browser.path('/auth/account?notice=password'))}&notice=password`)
    },
    { limited: true },
  )

  function showUsedUp({ show }: Visit): void {
    const body = html`<h1>This link no longer works</h1>
<p>Links work once, for an hour. Request a new one.</p>
<div class="actions"><a class="button" href="${browser.path('/auth/reset')}">Get a new link</a></div>`
    show({ title: 'Link used up', body }, { status: 404 })
  }

  function showChoice(
    { csrf, show }: Visit,
    {
      token,
      email,
      hasPassword,
      errors,
    }: Found<PageAccounts['passwords']['describeLinkOwner']> & { readonly token: string; readonly errors: FieldErrors },
  ): void {
    const title = hasPassword ? 'Choose a new password' : 'Choose a password'
    const lead = hasPassword
      ? 'You will be signed out everywhere else, and apps lose their access.'
      : 'You sign in with your e-mail address and this password.'
    const body = html`<h1>${title}</h1>
<p class="lead">${lead}</p>
${form(
  { action: browser.path('/auth/password'), csrf, hidden: { token } },
  html`
${field({
  name: 'username',
  label: 'E-mail address',
  type: 'email',
  autocomplete: 'username',
  value: email,
  readonly: true,
})}
${newPasswordField(errors, hasPassword ? undefined : 'Password')}
<div class="actions"><button type="submit">Set the password</button></div>`,
)}`
    show({ title, body }, { status: errorStatus(errors) })
  }
}

/** 422 where something is wrong with the form. */
export const errorStatus = (errors: FieldErrors): number => (Object.keys(errors).length === 0 ? 200 : 422)
