import type { Database } from '../db/tx.ts'
import type { OAuthServices } from '../http/oauth/services.ts'
import { isId } from '../kernel/ids.ts'
import type { Issuer, TokenAuthenticator } from '../modules/identity/tokens/index.ts'
import {
  apiScopes,
  findClient,
  insertClient,
  isClientSecret,
  isNative,
  makeClient,
  type Artifacts,
  type Consents,
} from '../modules/identity/oauth/index.ts'
import { findUser, listMembershipsOfUser } from '../modules/identity/users/index.ts'

export type OAuthParts = {
  readonly issuer: Issuer
  readonly tokens: TokenAuthenticator
  readonly consents: Consents
  readonly artifacts: Artifacts
}

type OAuthInput = OAuthParts &
  Pick<
    OAuthServices,
    'authUrl' | 'baseUrl' | 'clock' | 'browser' | 'tokenLimits' | 'devices' | 'registrations' | 'endSession' | 'onError'
  > & {
    readonly database: Database
  }

/** Composes the functions of the OAuth endpoints from the modules. */
export const oauthServices = ({ database, issuer, tokens, ...rest }: OAuthInput): OAuthServices => ({
  ...rest,
  signingKeys: () => issuer.signingKeys(),
  authenticate: (token) => tokens.authenticate(token),
  grantOf: (token) => tokens.grantOf(token),
  isClientSecret,
  async registerClient({ scopes, ...wish }) {
    const given = { ...wish, workspaceId: null, isSelfRegistered: true, scopes: scopes && apiScopes(scopes) }
    const { row, secret } = makeClient(given, rest.clock.now())
    await database.write((tx) => insertClient(tx, row))
    return {
      client_id: row.id,
      client_id_issued_at: Math.floor(row.created_at / 1000),
      ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
    }
  },
  async findClient(id) {
    const row = isId(id) ? await findClient(database.reader, id) : undefined
    return (
      row && {
        id: row.id,
        name: row.name,
        secretHash: row.secret_hash,
        redirectUris: row.redirect_uris,
        workspaceId: row.workspace_id,
        scopes: row.scopes,
        isSelfRegistered: row.self_registered,
        isNative: isNative(row),
      }
    )
  },
  async findPerson(id) {
    const user = isId(id) ? await findUser(database.reader, id) : undefined
    return user && { id: user.id, name: user.name, email: user.email, isUnverified: user.unverified_since !== null }
  },
  async listWorkspaces(userId) {
    const memberships = await listMembershipsOfUser(database.reader, userId)
    return memberships.map(({ workspace_id, workspace_name }) => ({ id: workspace_id, name: workspace_name }))
  },
})
