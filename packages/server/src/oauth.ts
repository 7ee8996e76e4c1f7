import type { OAuthServices } from './http/oauth/services.ts'
import type { Database } from './db/tx.ts'
import { isId } from './kernel/ids.ts'
import type { Issuer, TokenAuthenticator } from './modules/auth/index.ts'
import { findClient, isClientSecret, isNative, type Artifacts, type Consents } from './modules/oauth/index.ts'
import { findUser } from './modules/users/index.ts'

type Parts = Pick<OAuthServices, 'authUrl' | 'baseUrl' | 'clock' | 'browser' | 'rateLimiter' | 'onError'> & {
  readonly database: Database
  readonly issuer: Issuer
  readonly tokens: TokenAuthenticator
  readonly apps: Consents
  readonly artifacts: Artifacts
}

/** Hands the modules to the OAuth endpoints; a part of `app.ts`. */
export const oauthServices = ({ database, issuer, tokens, apps, artifacts, ...rest }: Parts): OAuthServices => ({
  ...rest,
  artifacts,
  consents: apps,
  signingKeys: () => issuer.signingKeys(),
  authenticate: (token) => tokens.authenticate(token),
  grantOf: (token) => tokens.grantOf(token),
  isClientSecret,
  async findClient(id) {
    const row = isId(id) ? await findClient(database.reader, id) : undefined
    return row && { id: row.id, name: row.name, secretHash: row.secret_hash, redirectUris: row.redirect_uris, isNative: isNative(row) }
  },
  findPerson: async (id) => (isId(id) ? findUser(database.reader, id) : undefined),
})
