import { Failure, failure } from '../kernel/errors.ts'
import { newSecret } from '../kernel/ids.ts'
import type { PageAccounts } from './services/accounts.ts'
import type { WorkspaceKeyView } from './services/keys.ts'
import { forAdmins, type AdminVisit, type Administered } from './administered.ts'
import type { Browser } from '../http/pages/browser.ts'
import { copyScript } from '../http/pages/copy-script.ts'
import { choice, errorSummary, form, success, type FieldErrors } from '../http/pages/forms.ts'
import { html, type Html } from '../lib/html.ts'
import { anyKeysExample, shownKey } from './new-key.ts'
import { errorStatus } from './password.ts'
import { rows, timeOf, usedText } from './rows.ts'
import type { PageRoutes } from '../http/pages/visit.ts'

const path = '/auth/account/workspaces/:slug/keys'
const rotatePath = `${path}/:id/rotate` as const

/** The time for which the previous secret still works, in hours. */
const overlaps = { '0': 'It stops working immediately', '1': 'An hour', '24': 'A day', '72': '3 days' } as const

/** The API keys of a workspace, for its admins. */
export function workspaceKeyPages(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  listPages(routes, browser, accounts)
  rotationPages(routes, browser, accounts)
}

/** The address of the list, and of what lies below it. */
const addressOf =
  (browser: Browser) =>
  ({ slug }: Administered) =>
    browser.path(`/auth/account/workspaces/${slug}/keys`)

/** The list of the keys, each with a button that revokes it. */
function listPages(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  const { keys } = accounts
  const admins = forAdmins(browser, accounts)
  const here = addressOf(browser)

  routes.get(
    path,
    admins.anyTime(async (visit) => {
      const { workspace, csrf } = visit
      const listed = await keys.list(visit.session.userId, workspace.slug)
      const body = html`<h1>API keys of ${workspace.name}</h1>
<p class="lead">The keys of the workspace, and your own in it.
Other members see their keys on their account pages.</p>
${visit.query.get('notice') === 'revoked' && success('The API key is revoked.')}
${rows(
  listed.map((key) => keyRow(key, here(workspace), csrf)),
  'There are no keys.',
)}
<div class="actions"><a class="button second" href="${browser.path('/auth/account/keys/new')}">New key</a></div>
<p class="beside"><a href="${browser.path('/auth/account')}">Back to your account</a></p>`
      visit.show({ title: `API keys of ${workspace.name}`, wide: true, body })
    }),
  )

  routes.post(
    `${path}/revoke`,
    admins.anyTime(async ({ session, workspace, form: { id = '' }, goTo }) => {
      await keys.revoke(session.userId, workspace.slug, id).catch(unlessGone)
      goTo(`${here(workspace)}?notice=revoked`)
    }),
  )
}

/** Giving a key a new secret. */
function rotationPages(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  const { keys } = accounts
  const admins = forAdmins(browser, accounts)
  const here = addressOf(browser)

  routes.get(
    rotatePath,
    admins.now(rotatePath, (visit) => showRotation(visit, {})),
  )

  routes.post(
    rotatePath,
    admins.now(rotatePath, async (visit) => {
      const { overlap = '', once = '' } = visit.form
      if (!Object.hasOwn(overlaps, overlap))
        return showRotation(visit, { overlap: 'Choose how long the old secret works.' })
      const made = await keys.rotate(visit.session.userId, {
        workspace: visit.workspace.slug,
        id: visit.params['id'] ?? '',
        overlapHours: Number(overlap),
        once,
      })
      if (made === 'used')
        return showRotation(visit, {
          overlap: 'This form has already created a new secret. Send it again to create another one.',
        })
      const api = `${accounts.apiUrl}/workspaces/${visit.workspace.slug}`
      const body = shownKey({
        title: 'The new secret',
        key: made.key,
        api,
        example: anyKeysExample,
        back: here(visit.workspace),
      })
      visit.show({ title: 'The new secret', wide: true, body, script: copyScript })
    }),
  )

  async function showRotation(
    { session, workspace, params, csrf, show }: AdminVisit,
    errors: FieldErrors,
  ): Promise<void> {
    const key = (await keys.list(session.userId, workspace.slug)).find(({ id }) => id === params['id'])
    if (key === undefined) throw failure('not_found', 'There is no API key with this id.')
    const options = Object.entries(overlaps).map(([value, label]) => ({ value, label }))
    const body = html`<h1>Give “${key.name}” a new secret</h1>
<p class="lead">Its name, scopes and expiry do not change.</p>
${errorSummary(errors)}
${form(
  { action: `${here(workspace)}/${key.id}/rotate`, csrf, hidden: { once: newSecret(16) } },
  html`
${choice({ name: 'overlap', label: 'How long does the old secret keep working?', options, chosen: '0' }, errors)}
<div class="actions"><button type="submit">Create the new secret</button></div>`,
)}
<p class="beside"><a href="${here(workspace)}">Back to the keys</a></p>`
    show({ title: 'New secret of an API key', wide: true, body }, { status: errorStatus(errors) })
  }
}

function keyRow(
  { id, name, prefix, owner, scopes, createdAt, lastUsedAt, expiresAt }: WorkspaceKeyView,
  here: string,
  csrf: string,
): Html {
  const times = [
    `Created ${timeOf(createdAt)}`,
    usedText(lastUsedAt),
    expiresAt === null ? 'Does not expire' : `Ends ${timeOf(expiresAt)}`,
  ]
  return html`<div><strong>${name}</strong><span class="soft">${prefix}… · ${owner}<br>${times.join(' · ')}</span>
<ul class="soft">${scopes.map((text) => html`<li>${text}</li>`)}</ul></div>
<div class="pair"><a class="button second small" href="${here}/${id}/rotate" aria-label="Rotate ${name}">Rotate</a>
${form(
  { action: `${here}/revoke`, csrf, hidden: { id } },
  html`<button class="second small" type="submit" aria-label="Revoke ${name}">Revoke</button>`,
)}</div>`
}

/** Ignores the failure if the key is gone, as after a form that was sent twice. */
function unlessGone(error: unknown): void {
  if (!(error instanceof Failure) || error.code !== 'not_found') throw error
}
