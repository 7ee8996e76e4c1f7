import { trimInvisible } from '@kontor/contract'
import type { PageAccounts } from './services/accounts.ts'
import type { Browser, BrowserSession } from '../http/pages/browser.ts'
import { field, form, problem, success } from '../http/pages/forms.ts'
import { html, type Html } from '../lib/html.ts'
import { passkeyScript } from './passkey-script.ts'
import { rows, timeOf, usedText } from './rows.ts'
import { forSignedInNow, signInThrough } from './signed-in.ts'
import { browserName } from './user-agent.ts'
import type { PageRoutes, Visit } from '../http/pages/visit.ts'

type SignedIn = Visit & { readonly session: BrowserSession }

const nameMax = 100

const notices: Readonly<Record<string, string>> = {
  added: 'The passkey is added. You can sign in with it now.',
  removed: 'The passkey is removed.',
}

const faults = {
  refused: 'The passkey could not be added. Try again.',
  full: 'Your account has 20 passkeys. Remove one first.',
}

const unsupported =
  'This requires JavaScript, a browser that supports passkeys, and an address with https or localhost.'

/** The button on the sign-in page; the script shows it where the browser has passkeys. */
export const passkeySignIn = (
  browser: Browser,
  csrf: string,
  { options, returnTo }: { readonly options: string; readonly returnTo: string | undefined },
): Html =>
  form(
    {
      action: browser.path('/auth/sign-in/passkey'),
      csrf,
      hidden: { response: '', ...(returnTo !== undefined && { return_to: returnTo }) },
    },
    html`<div class="actions" data-supported hidden><button class="second" type="submit" data-passkey="get"
data-options="${options}">Sign in with a passkey</button></div>
<p class="error" role="alert" data-failed hidden>No passkey was used. Try again, or sign in with your password.</p>`,
  )

/** Signing in with a passkey, and the page on which people add and remove theirs. */
export function passkeyPages(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  const { passkeys } = accounts
  const here = browser.path('/auth/account/passkeys')
  const signedInNow = (handler: (visit: SignedIn) => Promise<void>) =>
    forSignedInNow(browser, accounts, () => here, handler)

  routes.post(
    '/auth/sign-in/passkey',
    async (visit) => {
      const returnTo = browser.returnTo(visit.form['return_to'])
      const token = await passkeys.signIn(visit.form['response'] ?? '', visit.request.headers['user-agent'])
      if (token !== undefined) return signInThrough(visit, browser, accounts, token, returnTo)
      showRefusal(browser, visit, returnTo)
    },
    { limited: true },
  )

  routes.get(
    '/auth/account/passkeys',
    signedInNow((visit) => showPasskeys(browser, accounts, visit)),
  )

  routes.post(
    '/auth/account/passkeys',
    signedInNow(async (visit) => {
      const { name = '', response = '' } = visit.form
      const given = trimInvisible(name).slice(0, nameMax).toWellFormed()
      const outcome = await passkeys.add(visit.session.userId, given === '' ? nameFor(visit) : given, response)
      if (outcome === 'added') visit.goTo(`${here}?notice=added`)
      else await showPasskeys(browser, accounts, visit, faults[outcome])
    }),
    { limited: true },
  )

  routes.post(
    '/auth/account/passkeys/remove',
    signedInNow(async (visit) => {
      await passkeys.remove(visit.session.userId, visit.form['id'] ?? '')
      visit.goTo(`${here}?notice=removed`)
    }),
  )
}

const nameFor = ({ request }: Visit): string => browserName(request.headers['user-agent'] ?? null)

function showRefusal(browser: Browser, { show }: Visit, returnTo: string | undefined): void {
  const again = browser.signInUrl(returnTo ?? browser.path('/auth/account'), { again: true })
  const body = html`<h1>You are not signed in</h1>
<p>This passkey is not registered on this server, or the page was open for too long.</p>
<div class="actions"><a class="button" href="${again}">Back to sign-in</a></div>`
  show({ title: 'You are not signed in', body }, { status: 422 })
}

async function showPasskeys(
  browser: Browser,
  { passkeys }: PageAccounts,
  visit: SignedIn,
  fault?: string,
): Promise<void> {
  const { csrf, session, query, show, goTo } = visit
  const here = browser.path('/auth/account/passkeys')
  const [list, options] = await Promise.all([
    passkeys.list(session.userId),
    passkeys.registrationOptions(session.userId),
  ])
  if (options === undefined) return goTo(browser.path('/auth/account'))
  const notice = notices[query.get('notice') ?? '']
  const items = list.map(
    ({ id, name, createdAt, lastUsedAt }) => html`<div><strong>${name}</strong><span
  class="soft">Since ${timeOf(createdAt)} · ${usedText(lastUsedAt)}</span></div>
${form(
  { action: `${here}/remove`, csrf, hidden: { id } },
  html`<button class="second small" type="submit" aria-label="Remove ${name}">Remove</button>`,
)}`,
  )
  const body = html`<h1>Passkeys</h1>
<p class="lead">Sign in with your fingerprint, face, screen lock or security key instead of your password.</p>
${fault !== undefined && problem(fault)}${notice !== undefined && success(notice)}
${rows(items, 'You have no passkeys.')}
<section aria-labelledby="add-title">
<h2 id="add-title">Add a passkey</h2>
${form(
  { action: here, csrf, hidden: { response: '' } },
  html`<p class="soft" data-unsupported>${unsupported}</p>
<div data-supported hidden>${field({ name: 'name', label: 'Name', autocomplete: 'off', value: nameFor(visit) })}
<div class="actions"><button type="submit" data-passkey="create"
data-options="${options}">Add a passkey</button></div></div>
<p class="error" role="alert" data-failed hidden>No passkey was created. Try again.</p>`,
)}
</section>
<p class="beside"><a href="${browser.path('/auth/account')}">Back to your account</a></p>`
  show(
    { title: fault === undefined ? 'Passkeys' : 'Error: passkeys', body, script: passkeyScript },
    { status: fault === undefined ? 200 : 422 },
  )
}
