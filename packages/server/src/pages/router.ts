import express, { type RequestHandler } from 'express'
import { accountPages } from './account.ts'
import type { PageAccounts } from './services/accounts.ts'
import { invitationPages } from './invitation.ts'
import { newKeyPages } from './new-key.ts'
import { passwordPages } from './password.ts'
import { passkeyPages } from './passkeys.ts'
import { providerPages } from './provider.ts'
import { secondFactorPages } from './second-factor.ts'
import { secondStepPages } from './second-step.ts'
import { signInPages, signOutPages } from './sign-in.ts'
import { pageRoutes, type PageRoutes, type PageServices } from '../http/pages/visit.ts'
import { workspaceAppPages } from './workspace-apps.ts'
import { workspaceKeyPages } from './workspace-keys.ts'

/** All pages for people, and what `others` puts beside them. */
export function pageRouter(
  { trustedProxies, ...services }: PageServices & { readonly trustedProxies: readonly string[] },
  accounts: PageAccounts,
  others: (routes: PageRoutes) => RequestHandler,
): RequestHandler {
  const routes = pageRoutes(services)
  for (const put of [
    signInPages,
    signOutPages,
    secondStepPages,
    providerPages,
    passkeyPages,
    secondFactorPages,
    passwordPages,
    invitationPages,
    accountPages,
    newKeyPages,
    workspaceKeyPages,
    workspaceAppPages,
  ])
    put(routes, services.browser, accounts)
  const rest = pageRoutes(services)
  rest.noPage('/auth')
  const all = [routes.router, others(routes), rest.router]
  const pages = express()
    .disable('x-powered-by')
    .disable('etag')
    .set('query parser', false)
    .set('trust proxy', [...trustedProxies])
    .use(all)
  // For a proxy in front that leaves the path of `AUTH_URL` in place.
  return services.browser.prefix === '' ? pages : pages.use(services.browser.prefix, all)
}
