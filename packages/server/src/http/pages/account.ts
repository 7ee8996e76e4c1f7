import type { AccountView, PageAccounts } from './accounts.ts'
import type { Browser } from './browser.ts'
import { errorSummary, field, form, success, type FieldErrors } from './forms.ts'
import { html, type Content, type Html } from './html.ts'
import { nameFault } from './name.ts'
import { errorStatus, newPasswordField } from './password.ts'
import { forSignedIn } from './signed-in.ts'
import { browserName } from './user-agent.ts'
import type { PageRoutes, Visit } from './visit.ts'

const notices: Readonly<Record<string, string>> = {
  name: 'Your name is changed.',
  password: 'Your password is changed, and your other sessions have ended.',
  session: 'The session has ended.',
  key: 'The API key is revoked.',
  app: 'The app has no access any more.',
  joined: 'You have joined the workspace.',
}

const times = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
const timeOf = (ms: number): string => `${times.format(ms)} UTC`

type SignedIn = Visit & { readonly session: { readonly userId: string; readonly sessionId: string } }

/** What a person sees and changes of their own account. */
export function accountPages(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  const here = browser.path('/auth/account')
  const done = (visit: Visit, notice: string) => visit.goTo(`${here}?notice=${notice}`)

  routes.get('/auth/account', forSignedIn(browser, (visit) => show(visit, {})))

  routes.post('/auth/account/name', forSignedIn(browser, async (visit) => {
    const { name = '' } = visit.form
    const fault = nameFault(name)
    if (fault !== undefined) return show(visit, { name: fault }, name)
    await accounts.rename(visit.session.userId, name.trim())
    done(visit, 'name')
  }))

  routes.post('/auth/account/password', forSignedIn(browser, async (visit) => {
    const { current = '', password = '' } = visit.form
    const { userId } = visit.session
    const account = await accounts.findAccount(userId)
    const fault = accounts.passwordFault(password, account?.email ?? '')
    if (fault !== undefined) return show(visit, { password: fault })
    const outcome = await accounts.changePassword(userId, { current, next: password }, visit.request.headers['user-agent'])
    if (outcome === 'wrong') return show(visit, { current: 'This is not your password.' })
    if (outcome === 'locked') return show(visit, { current: 'There were too many wrong passwords. Wait 15 minutes.' })
    browser.keepSession(visit.response, outcome.token, accounts.sessionSeconds)
    done(visit, 'password')
  }), { limited: true })

  /** A button beside something that can be ended. */
  const ending = (path: `/auth/account/${string}`, notice: string, end: (userId: string, id: string) => Promise<void>) =>
    routes.post(path, forSignedIn(browser, async (visit) => {
      await end(visit.session.userId, visit.form['id'] ?? '')
      done(visit, notice)
    }))
  ending('/auth/account/session', 'session', accounts.endOwnSession)
  ending('/auth/account/key', 'key', accounts.revokeKey)
  ending('/auth/account/app', 'app', accounts.revokeApp)

  async function show(visit: SignedIn, errors: FieldErrors, name?: string): Promise<void> {
    const account = await accounts.findAccount(visit.session.userId)
    if (account === undefined) return visit.goTo(browser.signInUrl(here))
    const notice = notices[visit.query.get('notice') ?? '']
    const body = html`<div class="head"><h1>Your account</h1>
${form({ action: browser.path('/auth/sign-out'), csrf: visit.csrf }, html`<button class="second small" type="submit">Sign out</button>`)}</div>
<p class="lead">${account.email}</p>
${notice !== undefined && success(notice)}
${errorSummary(errors)}
${workspacesOf(account)}
${nameSection(visit, { ...account, name: name ?? account.name }, errors)}
${passwordSection(visit, account, errors)}
${appsSection(visit, account)}
${keysSection(visit, account)}
${sessionsSection(visit, account)}`
    visit.show({ title: 'Your account', body, wide: true }, { status: errorStatus(errors) })
  }

  const nameSection = ({ csrf }: Visit, { name }: AccountView, errors: FieldErrors): Html => html`<section aria-labelledby="name-title">
<h2 id="name-title">Name</h2>
<p class="soft">As others see you, in all workspaces.</p>
${form({ action: `${here}/name`, csrf }, html`${field({ name: 'name', label: 'Your name', autocomplete: 'name', value: name ?? '' }, errors)}
<button class="second" type="submit">Change the name</button>`)}
</section>`

  const passwordSection = ({ csrf }: Visit, { email }: AccountView, errors: FieldErrors): Html => html`<section aria-labelledby="password-title">
<h2 id="password-title">Password</h2>
<p class="soft">Changing it signs you out everywhere else.</p>
${form({ action: `${here}/password`, csrf, hidden: { username: email } }, html`
${field({ name: 'current', label: 'Current password', type: 'password', autocomplete: 'current-password' }, errors)}
${newPasswordField(errors)}
<button class="second" type="submit">Change the password</button>`)}
</section>`

  const end = ({ csrf }: Visit, path: string, id: string, label: string, what: string): Html =>
    form({ action: `${here}/${path}`, csrf, hidden: { id } }, html`<button class="second small" type="submit" aria-label="${label} ${what}">${label}</button>`)

  const appsSection = (visit: Visit, { apps }: AccountView): Html => html`<section aria-labelledby="apps-title">
<h2 id="apps-title">Apps</h2>
<p class="soft">Other services that you let act for you.</p>
${list(apps.map(({ id, name, allowed, grantedAt, lastUsedAt }) => html`<div><strong>${name}</strong><span class="soft">Since ${timeOf(grantedAt)} · ${lastUsedAt === null ? 'Never used' : `Last used ${timeOf(lastUsedAt)}`}</span>
<ul class="soft">${allowed.map((one) => html`<li>${one}</li>`)}</ul></div>
${end(visit, 'app', id, 'Revoke', name)}`), 'No app has access to your account.')}
</section>`

  const keysSection = (visit: Visit, { keys }: AccountView): Html => html`<section aria-labelledby="keys-title">
<h2 id="keys-title">API keys</h2>
<p class="soft">Programs that act as you with a personal key.</p>
${list(keys.map(({ id, name, prefix, workspaceName, lastUsedAt }) => html`<div><strong>${name}</strong><span class="soft">${prefix}… · ${workspaceName} · ${lastUsedAt === null ? 'Never used' : `Last used ${timeOf(lastUsedAt)}`}</span></div>
${end(visit, 'key', id, 'Revoke', name)}`), 'You have no personal API keys.')}
</section>`

  const sessionsSection = (visit: SignedIn, { sessions }: AccountView): Html => html`<section aria-labelledby="sessions-title">
<h2 id="sessions-title">Sessions</h2>
<p class="soft">Browsers in which you are signed in. A session ends after 7 days without use.</p>
${list(sessions.map(({ id, userAgent, createdAt, lastSeenAt }) => {
    const isThis = id === visit.session.sessionId
    const browserText = browserName(userAgent)
    return html`<div><strong>${browserText}${isThis && html` <span class="tag">This browser</span>`}</strong><span class="soft">Signed in ${timeOf(createdAt)} · Last seen ${timeOf(lastSeenAt)}</span></div>
${!isThis && end(visit, 'session', id, 'End', `the session in ${browserText}`)}`
  }), 'There are none.')}
</section>`
}

const workspacesOf = ({ memberships }: AccountView): Content =>
  memberships.length > 0 && html`<dl class="facts">${memberships.map(({ workspaceName, role }) => html`<div><dt>${workspaceName}</dt><dd>${role}</dd></div>`)}</dl>`

const list = (items: readonly Html[], none: string): Html => (items.length === 0 ? html`<p class="soft">${none}</p>` : html`<ul class="rows">${items.map((item) => html`<li>${item}</li>`)}</ul>`)
