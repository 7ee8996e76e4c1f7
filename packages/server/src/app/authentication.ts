import type { Database } from '../db/tx.ts'
import type { Telling } from '../kernel/invoke/runtime.ts'
import { KeyAuthenticator } from '../modules/identity/api-keys/index.ts'
import { Issuer, TokenAuthenticator } from '../modules/identity/tokens/index.ts'
import { Artifacts, Consents } from '../modules/identity/oauth/index.ts'
import { findIdentified, holdSession } from '../modules/identity/sign-in/index.ts'
import { trustMs } from '../modules/workspaces/index.ts'
import type { OAuthParts } from '../pages/oauth/services.ts'
import type { AppOptions } from './options.ts'

type AuthenticationOptions = Pick<AppOptions, 'database' | 'clock' | 'authUrl' | 'outsideIssuer'> & {
  readonly telling: Telling
}

/** Authenticators of keys and tokens, and what issues tokens and revokes them. */
export function createAuthentication(
  { database, clock, authUrl, outsideIssuer, telling }: AuthenticationOptions,
  onError: (error: unknown) => void,
): OAuthParts & { readonly keys: KeyAuthenticator } {
  const issuer = new Issuer(database, clock, authUrl)
  const keys = new KeyAuthenticator({ database, clock, trustMs, onError })
  const forgetTokens = () => tokens.forget()
  const consents = new Consents({ database, clock, holdSession, onError, onRevoked: forgetTokens })
  const artifacts = new Artifacts({ database, clock, onRevoked: forgetTokens })
  const onAccessEnded = (): void => {
    keys.forget()
    forgetTokens()
  }
  const tokens: TokenAuthenticator = new TokenAuthenticator({
    database,
    clock,
    issuer,
    apps: consents,
    outside: outsideIssuer,
    trustMs,
    findIdentified: (identity, verifiedEmail) =>
      findIdentified({ database, telling, onAccessEnded }, identity, verifiedEmail),
  })
  return { issuer, keys, tokens, consents, artifacts }
}

/** Reads again what this process trusts of callers, after each commit of any process that takes access away. */
export function forgetTogether(
  database: Database,
  trusted: Readonly<Record<'keys' | 'tokens' | 'memberships', { readonly forget: () => void }>>,
): void {
  const { keys, tokens, memberships } = trusted
  const forget = (): void => [keys, tokens, memberships].forEach((one) => one.forget())
  database.subscribe('access', forget, 'everywhere')
}
