import { accountServices } from '../../pages/services/accounts.ts'
import type { ReadBody } from '../../http/body.ts'
import type { Exchange } from '../../http/exchange.ts'
import { Browser } from '../../http/pages/browser.ts'
import { oauthRoutes } from '../../pages/oauth/mount.ts'
import { deviceLimits, oauthServices, requestingApp, type OAuthParts } from '../../pages/oauth/services.ts'
import { tokenLimiter, TokenLimits } from '../../pages/oauth/token-limits.ts'
import { pageRouter } from '../../pages/router.ts'
import type { Served } from '../../kernel/invoke/in-process.ts'
import { KeyRing } from '../../lib/key-ring.ts'
import { newSecret } from '../../kernel/ids.ts'
import { perHour, perMinute } from '../../kernel/rate-limit.ts'
import type { KeyAuthenticator } from '../../modules/identity/api-keys/index.ts'
import type { Mailer } from '../../modules/mail/index.ts'
import { Sessions } from '../../modules/identity/sign-in/index.ts'
import type { AppOptions } from '../options.ts'

type Parts = OAuthParts &
  Served & {
    readonly exchange: Exchange
    readonly readBody: ReadBody
    readonly keys: KeyAuthenticator
    readonly mailer: Mailer | undefined
    readonly onError: (error: unknown) => void
  }

/** Composes the pages for people below `AUTH_URL`: sign-in, account, and consent to apps. */
export function peoplePages(
  {
    database,
    clock,
    logger,
    baseUrl,
    authUrl,
    signInsPerMinute = 0,
    oauthRegistrationsPerHour = 0,
    trustedProxies = [],
    signInProviders = [],
    encryptionKeys,
  }: AppOptions,
  { runtime, calls, exchange, readBody, keys, mailer, onError, ...oauthParts }: Parts,
): ReturnType<typeof pageRouter> {
  const sessions = new Sessions({ database, clock, onError })
  const onAccessEnded = () => {
    keys.forget()
    oauthParts.tokens.forget()
  }
  const browser = new Browser({ authUrl, sessions, newSecret })
  const accounts = accountServices({
    runtime,
    calls,
    sessions,
    keys,
    keyRing: new KeyRing(encryptionKeys),
    providers: signInProviders,
    consents: oauthParts.consents,
    issuer: oauthParts.issuer,
    mailer,
    authUrl,
    logger,
    onError,
    onAccessEnded,
  })
  const oauth = oauthServices({
    database,
    clock,
    baseUrl,
    authUrl,
    browser,
    onError,
    devices: deviceLimits(clock),
    tokenLimits: new TokenLimits(tokenLimiter(signInsPerMinute, clock)),
    endSession: (token) => accounts.endSession(token),
    registrations: perHour('registration', oauthRegistrationsPerHour, clock),
    ...oauthParts,
  })
  return pageRouter(
    { browser, exchange, rateLimiter: perMinute('sign-in', signInsPerMinute, clock), trustedProxies },
    { ...accounts, requestingApp: (returnTo) => requestingApp(oauth, returnTo) },
    (routes) => oauthRoutes(oauth, { exchange, readBody }, routes),
  )
}
