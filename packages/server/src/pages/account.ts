import { trimInvisible } from '@kontor/contract'
import {
  appsSection,
  keysLeft,
  keysSection,
  nameSection,
  passkeysSection,
  passwordSection,
  providersSection,
  secondFactorSection,
  sessionsSection,
  workspacesSection,
} from './account-sections.ts'
import type { PageAccounts } from './services/accounts.ts'
import type { Browser } from '../http/pages/browser.ts'
import { errorSummary, form, success, type FieldErrors } from '../http/pages/forms.ts'
import { html } from '../lib/html.ts'
import { nameFault } from './invitation.ts'
import { errorStatus } from './password.ts'
import { forSignedIn } from './signed-in.ts'
import type { PageRoutes, Visit } from '../http/pages/visit.ts'

const notices: Readonly<Record<string, string>> = {
  name: 'Your name is changed.',
  password: 'Your password is changed. Your other sessions have ended, and apps no longer have access.',
  keys: 'All your API keys are revoked.',
  session: 'The session has ended.',
  key: 'The API key is revoked.',
  app: 'The app no longer has access.',
  provider: 'The provider is disconnected. The next sign-in there connects it again.',
  'factor-off': 'The second factor is off.',
  joined: 'You have joined the workspace.',
}

type SignedIn = Visit & { readonly session: { readonly userId: string; readonly sessionId: string } }

/** Adds the pages on which people see and change their own account. */
export function accountPages(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  routes.get(
    '/auth/account',
    forSignedIn(browser, (visit) => showAccount(browser, accounts, visit, {})),
  )
  changeForms(routes, browser, accounts)
  endingForms(routes, browser, accounts)
}

const addressOf = (browser: Browser): string => browser.path('/auth/account')

/** Sends the browser back to the account page, which says what was done. */
const goBack = (browser: Browser, { goTo }: Visit, notice: string): void =>
  goTo(`${addressOf(browser)}?notice=${notice}`)

/** The forms for the name and the password. */
function changeForms(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  const show = (visit: SignedIn, errors: FieldErrors, name?: string) =>
    showAccount(browser, accounts, visit, errors, name)

  routes.post(
    '/auth/account/name',
    forSignedIn(browser, async (visit) => {
      const { name = '' } = visit.form
      const fault = nameFault(name)
      if (fault !== undefined) return show(visit, { name: fault }, name)
      await accounts.rename(visit.session.userId, trimInvisible(name))
      goBack(browser, visit, 'name')
    }),
  )

  routes.post(
    '/auth/account/password',
    forSignedIn(browser, async (visit) => {
      const { current = '', password = '' } = visit.form
      const { userId } = visit.session
      const account = await accounts.findAccount(userId)
      const fault = await accounts.passwordFault(password, account?.email ?? '')
      if (fault !== undefined) return show(visit, { password: fault })
      const outcome = await accounts.passwords.changePassword(
        userId,
        { current, next: password },
        visit.request.headers['user-agent'],
      )
      if (outcome === 'wrong') return show(visit, { current: 'This is not your password.' })
      if (outcome === 'locked') return show(visit, { current: 'Too many wrong passwords. Wait 15 minutes.' })
      browser.keepSession(visit.response, outcome.token, accounts.sessionSeconds)
      goBack(browser, visit, 'password')
    }),
    { limited: true },
  )
}

/** The buttons that end sessions, keys and the access of apps. */
function endingForms(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  /** A button beside something that can be ended. */
  const ending = (
    path: `/auth/account/${string}`,
    notice: string,
    end: (userId: string, id: string) => Promise<void>,
  ) =>
    routes.post(
      path,
      forSignedIn(browser, async (visit) => {
        await end(visit.session.userId, visit.form['id'] ?? '')
        goBack(browser, visit, notice)
      }),
    )
  routes.post(
    '/auth/account/keys/revoke-all',
    forSignedIn(browser, async (visit) => {
      await accounts.revokeKeys(visit.session.userId)
      goBack(browser, visit, 'keys')
    }),
  )
  ending('/auth/account/session', 'session', accounts.endOwnSession)
  ending('/auth/account/key', 'key', accounts.revokeKey)
  ending('/auth/account/app', 'app', accounts.revokeApp)
  ending('/auth/account/provider', 'provider', accounts.providers.disconnect)
}

async function showAccount(
  browser: Browser,
  accounts: PageAccounts,
  visit: SignedIn,
  errors: FieldErrors,
  name?: string,
): Promise<void> {
  const { csrf } = visit
  const here = addressOf(browser)
  const account = await accounts.findAccount(visit.session.userId)
  if (account === undefined) return visit.goTo(browser.signInUrl(here))
  const noticeName = visit.query.get('notice') ?? ''
  const notice = notices[noticeName]
  const section = { here, csrf, account }
  const body = html`<div class="head"><h1>Your account</h1>
${form(
  { action: browser.path('/auth/sign-out'), csrf },
  html`<button class="second small" type="submit">Sign out</button>`,
)}</div>
<p class="lead">${account.email}</p>
${notice !== undefined && success(notice)}
${noticeName === 'password' && keysLeft(section)}
${errorSummary(errors)}
${workspacesSection(section)}
${nameSection(section, name ?? account.name ?? '', errors)}
${passwordSection(section, errors)}
${secondFactorSection(section)}
${passkeysSection(section)}
${providersSection(section)}
${appsSection(section)}
${keysSection(section)}
${sessionsSection(section, visit.session.sessionId)}`
  visit.show(
    { title: Object.keys(errors).length > 0 ? 'Error: your account' : 'Your account', body, wide: true },
    { status: errorStatus(errors) },
  )
}
