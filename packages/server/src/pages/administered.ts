import { failure } from '../kernel/errors.ts'
import type { Found, PageAccounts } from './services/accounts.ts'
import type { Browser, BrowserSession } from '../http/pages/browser.ts'
import { forSignedIn, forSignedInNow } from './signed-in.ts'
import type { Visit, VisitHandler } from '../http/pages/visit.ts'

/** A visit of an admin to a page of their workspace. */
export type AdminVisit = Visit & { readonly session: BrowserSession; readonly workspace: Administered }

/** A workspace, for one of its admins. */
export type Administered = Found<PageAccounts['findAdministered']>

type AdminHandler = (visit: AdminVisit) => Promise<void>

/**
 * Pages of a workspace for its admins, at addresses that hold its slug; for all others they are not there. `now` asks
 * for the password again where it was given too long ago.
 */
export function forAdmins(
  browser: Browser,
  accounts: PageAccounts,
): {
  readonly anyTime: (handler: AdminHandler) => VisitHandler
  readonly now: (path: string, handler: AdminHandler) => VisitHandler
} {
  const asAdmin = (handler: AdminHandler) => async (visit: Visit & { readonly session: BrowserSession }) => {
    const workspace = await accounts.findAdministered(visit.session.userId, visit.params['slug'] ?? '')
    if (workspace === undefined)
      throw failure('not_found', 'This workspace does not exist, or you are not an admin of it.')
    await handler({ ...visit, workspace })
  }
  return {
    anyTime: (handler) => forSignedIn(browser, asAdmin(handler)),
    now: (path, handler) =>
      forSignedInNow(browser, accounts, ({ params }) => pathOf(browser, path, params), asAdmin(handler)),
  }
}

/** A path with its parameters filled in: `/workspaces/:slug/keys`. */
const pathOf = (browser: Browser, path: string, params: Visit['params']): string =>
  browser.prefix + path.replaceAll(/:(\w+)/g, (_all, name: string) => encodeURIComponent(params[name] ?? ''))
