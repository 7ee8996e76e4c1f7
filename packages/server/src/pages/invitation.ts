import { trimInvisible } from '@kontor/contract'
import type { Found, PageAccounts } from './services/accounts.ts'
import type { Browser } from '../http/pages/browser.ts'
import { errorSummary, field, form, problem, type FieldErrors } from '../http/pages/forms.ts'
import { html, type Content, type Html } from '../lib/html.ts'
import { errorStatus, newPasswordField } from './password.ts'
import { roleNames } from './rows.ts'
import { signInThrough } from './signed-in.ts'
import type { PageRoutes, Visit } from '../http/pages/visit.ts'

/** Following the link of an invitation: with an account, or to make one. */
export function invitationPages(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  acceptancePages(routes, browser, accounts)
  signUpForm(routes, browser, accounts)
}

const pathOf = (browser: Browser, token: string): string =>
  `${browser.path('/auth/invitation')}?token=${encodeURIComponent(token)}`

/** The page of an invitation, and the form by which a person with an account accepts it. */
function acceptancePages(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  routes.get('/auth/invitation', async (visit) => {
    const token = visit.query.get('token') ?? ''
    const invited = await accounts.invitations.find(token)
    if (invited === undefined) showUsedUp(visit)
    else await showInvitation(browser, accounts, visit, { token, invited })
  })

  routes.post(
    '/auth/invitation/accept',
    async (visit) => {
      const { token = '' } = visit.form
      if (visit.session === undefined) return visit.goTo(browser.signInUrl(pathOf(browser, token)))
      if (await accounts.invitations.accept(token, visit.session.userId))
        visit.goTo(`${browser.path('/auth/account')}?notice=joined`)
      else showUsedUp(visit)
    },
    { limited: true },
  )
}

/** The form by which a person without an account makes one and accepts. */
function signUpForm(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  routes.post(
    '/auth/invitation',
    async (visit) => {
      const { token = '', name = '', password = '' } = visit.form
      const invited = await accounts.invitations.find(token)
      if (invited === undefined) return showUsedUp(visit)
      if (invited.hasAccount) return showInvitation(browser, accounts, visit, { token, invited })
      const faults = { name: nameFault(name), password: await accounts.passwordFault(password, invited.email) }
      const errors = Object.fromEntries(
        Object.entries(faults).filter((fault): fault is [string, string] => fault[1] !== undefined),
      )
      if (Object.keys(errors).length > 0)
        return showSignUp(browser, visit, { token, invited: { ...invited, name } }, errors)
      const userId = await accounts.invitations.signUp(token, { name: trimInvisible(name), password })
      if (userId === undefined) return showUsedUp(visit)
      await signInThrough(
        visit,
        browser,
        accounts,
        await accounts.startSession(userId, visit.request.headers['user-agent']),
        undefined,
      )
    },
    { limited: true },
  )
}

/** An invitation, with the token that its link carries. */
type Invited = { readonly token: string; readonly invited: Found<PageAccounts['invitations']['find']> }

async function showInvitation(browser: Browser, accounts: PageAccounts, visit: Visit, given: Invited): Promise<void> {
  const { session } = visit
  const { invited } = given
  if (!invited.hasAccount) return showSignUp(browser, visit, given, {})
  const account = session && (await accounts.findAccount(session.userId))
  visit.show({
    title: `Join ${invited.workspaceName}`,
    body: html`${heading(invited, true)}${wayIn(browser, visit, given, account?.email)}`,
  })
}

/** Renders the next step of a person with an account: sign in, sign out as another, or accept. */
function wayIn(
  browser: Browser,
  { csrf }: Visit,
  { token, invited: { email, workspaceName } }: Invited,
  signedInAs: string | undefined,
): Content {
  if (signedInAs === undefined) {
    return html`<p>There is an account with this address. Sign in with it to accept.</p>
<div class="actions"><a class="button" href="${browser.signInUrl(pathOf(browser, token))}">Sign in</a></div>`
  }
  if (signedInAs.toLowerCase() !== email.toLowerCase()) {
    return html`${problem(`You are signed in as ${signedInAs}; this invitation is for ${email}.`)}
<p>Sign out, then follow the link again.</p>
${form(
  { action: browser.path('/auth/sign-out'), csrf },
  html`<div class="actions"><button type="submit">Sign out</button></div>`,
)}`
  }
  return form(
    { action: browser.path('/auth/invitation/accept'), csrf, hidden: { token } },
    html`<div class="actions"><button type="submit">Join ${workspaceName}</button></div>`,
  )
}

function showSignUp(browser: Browser, { csrf, show }: Visit, { token, invited }: Invited, errors: FieldErrors): void {
  const body = html`${heading(invited, false)}
${errorSummary(errors)}
${form(
  { action: browser.path('/auth/invitation'), csrf, hidden: { token } },
  html`
${field({
  name: 'email',
  label: 'E-mail address',
  type: 'email',
  autocomplete: 'username',
  value: invited.email,
  readonly: true,
})}
${field({ name: 'name', label: 'Your name', autocomplete: 'name', value: invited.name ?? '' }, errors)}
${newPasswordField(errors)}
<div class="actions"><button type="submit">Create the account</button></div>`,
)}`
  show({ title: `Join ${invited.workspaceName}`, body }, { status: errorStatus(errors) })
}

const heading = (
  { workspaceName, inviter, email, role }: Invited['invited'],
  withEmail: boolean,
): Html => html`<h1>Join ${workspaceName}</h1>
<p class="lead">${inviter ?? 'An admin'} invites you to work together.</p>
<dl class="facts">
${withEmail && html`<div><dt>For</dt><dd>${email}</dd></div>`}
<div><dt>Your role</dt><dd>${roleNames[role] ?? role}</dd></div>
</dl>`

function showUsedUp({ show }: Visit): void {
  const body = html`<h1>This invitation no longer works</h1>
<p>It was used or revoked, or it is more than 7 days old. Ask the person who invited you to send it again.</p>`
  show({ title: 'Invitation used up', body }, { status: 404 })
}

const nameMax = 200

/** Returns the fault of the name of a person. */
export function nameFault(given: string): string | undefined {
  const name = trimInvisible(given)
  if (name === '') return 'Enter your name.'
  if ([...name].length > nameMax) return `Use at most ${nameMax} characters.`
  return /\p{Cc}/u.test(name) ? 'Use no control characters.' : undefined
}
