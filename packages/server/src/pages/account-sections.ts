import type { Found, PageAccounts } from './services/accounts.ts'
import { field, form, type FieldErrors } from '../http/pages/forms.ts'
import { html, type Content, type Html } from '../lib/html.ts'
import { newPasswordField } from './password.ts'
import { roleNames, rows, timeOf, usedText } from './rows.ts'
import { browserName } from './user-agent.ts'

/** Contents of a section of the account page; `here` is the address of the page. */
type Section = { readonly here: string; readonly csrf: string; readonly account: Found<PageAccounts['findAccount']> }

export const workspacesSection = ({ here, account: { memberships } }: Section): Content =>
  memberships.length > 0 &&
  html`<dl class="facts">${memberships.map(
    ({ workspaceName, slug, role }) =>
      html`<div><dt>${workspaceName}</dt><dd>${roleNames[role] ?? role}${
        role === 'admin' &&
        html` · <a href="${here}/workspaces/${slug}/keys" aria-label="API keys of ${workspaceName}">API keys</a> ·
<a href="${here}/workspaces/${slug}/apps" aria-label="Apps of ${workspaceName}">Apps</a>`
      }</dd></div>`,
  )}</dl>`

export const nameSection = (
  { here, csrf }: Section,
  name: string,
  errors: FieldErrors,
): Html => html`<section aria-labelledby="name-title">
<h2 id="name-title">Name</h2>
<p class="soft">As others see you, in all workspaces.</p>
${form(
  { action: `${here}/name`, csrf },
  html`${field({ name: 'name', label: 'Your name', autocomplete: 'name', value: name }, errors)}
<button class="second" type="submit">Change the name</button>`,
)}
</section>`

export const passwordSection = (
  { here, csrf, account }: Section,
  errors: FieldErrors,
): Html => html`<section aria-labelledby="password-title">
<h2 id="password-title">Password</h2>
<p class="soft">Changing it signs you out everywhere else and disconnects all apps.</p>
${form(
  { action: `${here}/password`, csrf },
  html`<input type="text" name="username" autocomplete="username" value="${account.email}" hidden>
${field({ name: 'current', label: 'Current password', type: 'password', autocomplete: 'current-password' }, errors)}
${newPasswordField(errors)}
<button class="second" type="submit">Change the password</button>`,
)}
</section>`

export const secondFactorSection = ({ here, account }: Section): Html => html`<section aria-labelledby="factor-title">
<h2 id="factor-title">Second factor</h2>
<p class="soft">${
  account.hasSecondFactor
    ? 'On. After your password you enter a code of your authenticator app.'
    : 'Off. With a second factor, your password is not enough to open your account.'
}</p>
<div class="actions"><a class="button second" href="${here}/second-factor">${
  account.hasSecondFactor ? 'Change it' : 'Turn it on'
}</a></div>
</section>`

export const passkeysSection = ({ here }: Section): Html => html`<section aria-labelledby="passkeys-title">
<h2 id="passkeys-title">Passkeys</h2>
<p class="soft">Sign in with your fingerprint, face, screen lock or security key instead of your password.</p>
<div class="actions"><a class="button second" href="${here}/passkeys">Manage passkeys</a></div>
</section>`

const hostOf = (issuer: string): string => URL.parse(issuer)?.host ?? issuer

export const providersSection = ({ here, csrf, account: { identities } }: Section): Content =>
  identities.length > 0 &&
  html`<section aria-labelledby="providers-title">
<h2 id="providers-title">Sign-in providers</h2>
<p class="soft">Your accounts there sign you in here.</p>
${rows(
  identities.map(
    ({ issuer, createdAt }) => html`<div><strong>${hostOf(issuer)}</strong><span
  class="soft">Since ${timeOf(createdAt)}</span></div>
${form(
  { action: `${here}/provider`, csrf, hidden: { id: issuer } },
  html`<button class="second small" type="submit" aria-label="Disconnect ${hostOf(issuer)}">Disconnect</button>`,
)}`,
  ),
  '',
)}
</section>`

export const appsSection = (section: Section): Html => html`<section aria-labelledby="apps-title">
<h2 id="apps-title">Apps</h2>
<p class="soft">Other services that can act on your behalf.</p>
${rows(
  section.account.apps.map(
    ({
      id,
      name,
      allowed,
      grantedAt,
      lastUsedAt,
    }) => html`<div><strong>${name}</strong><span class="soft">Since ${timeOf(grantedAt)} ·
${usedText(lastUsedAt)}</span>
${allowed.map(
  ({ where, what }) => html`<p class="where">${where === null ? 'In all your workspaces' : `In ${where}`}</p>
<ul class="soft">${what.map((one) => html`<li>${one}</li>`)}</ul>`,
)}</div>
${ending(section, 'app', id, 'Revoke', name)}`,
  ),
  'No app has access to your account.',
)}
</section>`

export const keysSection = (section: Section): Html => html`<section aria-labelledby="keys-title">
<h2 id="keys-title">API keys</h2>
<p class="soft">Programs that act as you with a personal key.</p>
${rows(
  section.account.keys.map(
    ({
      id,
      name,
      prefix,
      workspaceName,
      lastUsedAt,
    }) => html`<div><strong>${name}</strong><span class="soft">${prefix}… · ${workspaceName} ·
${usedText(lastUsedAt)}</span></div>
${ending(section, 'key', id, 'Revoke', name)}`,
  ),
  'You have no personal API keys.',
)}
<div class="actions"><a class="button second" href="${section.here}/keys/new">New key</a></div>
</section>`

/** Keys outlive a password: a person who knew the one before may have made some. */
export const keysLeft = ({ here, csrf, account: { keys } }: Section): Content =>
  keys.length > 0 &&
  html`<div class="message note"><p>${
    keys.length === 1 ? '1 API key of yours still works' : `${keys.length} API keys of yours still work`
  }.
Revoke keys that you do not recognise. If another person knew your password, revoke all of them.</p>
<div class="actions"><a class="button second small" href="#keys-title">Show them</a>${form(
    { action: `${here}/keys/revoke-all`, csrf },
    html`<button class="second small" type="submit">Revoke all</button>`,
  )}</div></div>`

export const sessionsSection = (
  section: Section,
  currentId: string,
): Html => html`<section aria-labelledby="sessions-title">
<h2 id="sessions-title">Sessions</h2>
<p class="soft">Browsers in which you are signed in. A session ends after 7 days without use.</p>
${rows(
  section.account.sessions.map(({ id, userAgent, createdAt, lastSeenAt }) => {
    const browserText = browserName(userAgent)
    const tag = id === currentId && html` <span class="tag">This browser</span>`
    return html`<div><strong>${browserText}${tag}</strong><span
  class="soft">Signed in ${timeOf(createdAt)} · Last seen ${timeOf(lastSeenAt)}</span></div>
${id !== currentId && ending(section, 'session', id, 'End', `the session in ${browserText}`)}`
  }),
  'There are none.',
)}
</section>`

/** A button beside something that can be ended. */
const ending = (
  { here, csrf }: Section,
  path: 'app' | 'key' | 'session',
  id: string,
  label: string,
  what: string,
): Html =>
  form(
    { action: `${here}/${path}`, csrf, hidden: { id } },
    html`<button class="second small" type="submit" aria-label="${label} ${what}">${label}</button>`,
  )
