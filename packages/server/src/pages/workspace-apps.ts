import { failure } from '../kernel/errors.ts'
import { newSecret } from '../kernel/ids.ts'
import type { PageAccounts } from './services/accounts.ts'
import type { WorkspaceAppView } from './services/apps.ts'
import { forAdmins, type AdminVisit, type Administered } from './administered.ts'
import type { Browser } from '../http/pages/browser.ts'
import { copyScript } from '../http/pages/copy-script.ts'
import { errorSummary, form, problem, success, ticked, type FieldErrors } from '../http/pages/forms.ts'
import { html } from '../lib/html.ts'
import { appFields, appFormFaults, everything, signInOnly } from './app-form.ts'
import { errorStatus } from './password.ts'
import { rows } from './rows.ts'
import type { PageRoutes } from '../http/pages/visit.ts'
import { appRow, letInBy, shownApp } from './workspace-app-sections.ts'

const path = '/auth/account/workspaces/:slug/apps'
const newPath = `${path}/new` as const
const rotatePath = `${path}/:id/rotate` as const
const removePath = `${path}/:id/remove` as const

/** The address of the list, and of what lies below it. */
const addressOf =
  (browser: Browser) =>
  ({ slug }: Administered) =>
    browser.path(`/auth/account/workspaces/${slug}/apps`)

/** Returns the links of the page that shows a secret. */
const destinationsOf =
  (browser: Browser, { apiUrl }: PageAccounts) =>
  (workspace: Administered) => ({
    server: browser.origin,
    guide: new URL('/docs/guides/connect-an-app', apiUrl).href,
    back: addressOf(browser)(workspace),
  })

/** The apps of a workspace, for its admins (docs/decisions/0093). */
export function workspaceAppPages(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  rotationPages(routes, browser, accounts)
  removalPages(routes, browser, accounts)
  listPage(routes, browser, accounts)
  registrationPages(routes, browser, accounts)
}

function listPage(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  const { workspaceApps: apps } = accounts
  const admins = forAdmins(browser, accounts)
  const here = addressOf(browser)

  routes.get(
    path,
    admins.anyTime(async ({ session, workspace, query, show }) => {
      const listed = await apps.list(session.userId, workspace.slug)
      const body = html`<h1>Apps of ${workspace.name}</h1>
<p class="lead">Only members of ${workspace.name} can use them, and only for this workspace.
Each member decides whether to connect an app.</p>
${query.get('notice') === 'removed' && success('The app is removed.')}
${rows(
  listed.map((app) => appRow(app, here(workspace))),
  'The workspace has no apps.',
)}
<div class="actions"><a class="button second" href="${here(workspace)}/new">Register an app</a></div>
<p class="beside"><a href="${browser.path('/auth/account')}">Back to your account</a></p>`
      show({ title: `Apps of ${workspace.name}`, wide: true, body })
    }),
  )
}

/** The form that registers an app, and the page that shows its secret. */
function registrationPages(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  const { workspaceApps: apps } = accounts
  const admins = forAdmins(browser, accounts)
  const here = addressOf(browser)
  const destinations = destinationsOf(browser, accounts)

  routes.get(
    newPath,
    admins.now(newPath, async (visit) => showForm(visit, {})),
  )

  routes.post(
    newPath,
    admins.now(newPath, async (visit) => {
      const { form: given, session, workspace } = visit
      const missing = appFormFaults(given)
      if (Object.keys(missing).length > 0) return showForm(visit, missing)
      const wanted = ticked(given, 'scopes')
      const { name = '', type, redirect_uris: addresses = '', once = '' } = given
      const redirectUris = [
        ...new Set(
          addresses
            .split('\n')
            .map((line) => line.trim())
            .filter((line) => line !== ''),
        ),
      ]
      const scopes = wanted.includes(everything) ? null : wanted.filter((scope) => scope !== signInOnly)
      const wish = { name, redirectUris, type: type === 'public' ? 'public' : 'confidential', scopes, once } as const
      const made = await apps.register(session.userId, workspace.slug, wish)
      if ('errors' in made) return showForm(visit, made.errors)
      const body = shownApp({ title: 'The app is registered', app: made, ...destinations(workspace) })
      visit.show({ title: 'The app is registered', wide: true, body, script: copyScript })
    }),
  )

  function showForm({ workspace, csrf, form: given, show }: AdminVisit, errors: FieldErrors): void {
    const body = html`<h1>Register an app</h1>
<p class="lead">For the members of ${workspace.name}.
The app acts for members who allow it, and can never do more than they can.</p>
${errorSummary(errors)}
${form({ action: `${here(workspace)}/new`, csrf, hidden: { once: newSecret(16) } }, appFields(given, errors))}
<p class="beside"><a href="${here(workspace)}">Back to the apps</a></p>`
    show(
      { title: Object.keys(errors).length > 0 ? 'Error: register an app' : 'Register an app', wide: true, body },
      { status: errorStatus(errors) },
    )
  }
}

const changedMeanwhile =
  'The secret has been replaced since this page was opened. Create a new one only if that one is not in use.'

type Question = {
  readonly app: WorkspaceAppView
  readonly what: 'rotate' | 'remove'
  readonly title: string
  readonly text: string
  readonly button: string
  readonly hidden?: Readonly<Record<string, string>>
  /** Why what was asked for was not done. */
  readonly fault?: string | undefined
}

/** Asks before an app gets a new secret, and gives it. */
function rotationPages(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  const { workspaceApps: apps } = accounts
  const admins = forAdmins(browser, accounts)
  const destinations = destinationsOf(browser, accounts)

  routes.get(
    rotatePath,
    admins.now(rotatePath, (visit) => askToRotate(visit)),
  )

  routes.post(
    rotatePath,
    admins.now(rotatePath, async (visit) => {
      const {
        session,
        workspace,
        params,
        form: { secret: secretMark = '', once = '' },
        show,
      } = visit
      const made = await apps.rotate(session.userId, workspace.slug, { id: params['id'] ?? '', secretMark, once })
      if (made === 'changed') return askToRotate(visit, changedMeanwhile)
      const body = shownApp({ title: 'The new secret', app: made, ...destinations(workspace) })
      show({ title: 'The new secret', wide: true, body, script: copyScript })
    }),
  )

  async function askToRotate(visit: AdminVisit, fault?: string): Promise<void> {
    const app = await requireApp(accounts, visit)
    if (app.type === 'public') throw failure('not_found', 'A public app has no secret.')
    ask(browser, visit, {
      app,
      what: 'rotate',
      title: `Give “${app.name}” a new secret?`,
      text: 'The current secret stops working immediately: the app cannot get tokens until it has the new one.',
      button: 'Create the new secret',
      hidden: { secret: app.secretMark, once: newSecret(16) },
      fault,
    })
  }
}

/** Asks before an app is removed, and removes it. */
function removalPages(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  const { workspaceApps: apps } = accounts
  const admins = forAdmins(browser, accounts)
  const here = addressOf(browser)

  routes.get(
    removePath,
    admins.now(removePath, async (visit) => {
      const app = await requireApp(accounts, visit)
      const end =
        'All members are disconnected from it, its tokens stop working, and its client id is deleted permanently.'
      const text = `${letInBy(app.people)}. ${end}`
      ask(browser, visit, { app, what: 'remove', title: `Remove “${app.name}”?`, text, button: 'Remove the app' })
    }),
  )

  routes.post(
    removePath,
    admins.now(removePath, async ({ session, workspace, params, goTo }) => {
      await apps.remove(session.userId, workspace.slug, params['id'] ?? '')
      goTo(`${here(workspace)}?notice=removed`)
    }),
  )
}

async function requireApp(
  { workspaceApps }: PageAccounts,
  { session, workspace, params }: AdminVisit,
): Promise<WorkspaceAppView> {
  const app = (await workspaceApps.list(session.userId, workspace.slug)).find(({ id }) => id === params['id'])
  if (app === undefined) throw failure('not_found', 'The workspace has no app with this id.')
  return app
}

/** Shows the question before something is done with an app. */
function ask(
  browser: Browser,
  { workspace, csrf, show }: AdminVisit,
  { app, what, title, text, button, hidden = {}, fault }: Question,
): void {
  const here = addressOf(browser)(workspace)
  const body = html`<h1>${title}</h1>
${fault !== undefined && problem(fault)}
<p>${text}</p>
${form(
  { action: `${here}/${app.id}/${what}`, csrf, hidden },
  html`<div class="actions"><button type="submit">${button}</button></div>`,
)}
<p class="beside"><a href="${here}">Back to the apps</a></p>`
  show({ title: fault === undefined ? title : `Error: ${title}`, body }, { status: fault === undefined ? 200 : 409 })
}
