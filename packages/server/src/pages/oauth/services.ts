import type { Database } from '../../db/tx.ts'
import { routes } from '../../http/oauth/routes.ts'
import type { Browser } from '../../http/pages/browser.ts'
import type { Clock } from '../../kernel/clock.ts'
import { isId } from '../../kernel/ids.ts'
import { RateLimiter } from '../../kernel/rate-limit.ts'
import { isRecord, isString } from '../../lib/guards.ts'
import {
  apiScopes,
  findClient,
  insertClient,
  isClientSecret,
  isNative,
  makeClient,
  type Artifacts,
  type Consents,
} from '../../modules/identity/oauth/index.ts'
import type { Issuer, TokenAuthenticator } from '../../modules/identity/tokens/index.ts'
import { findUser, listMembershipsOfUser } from '../../modules/identity/users/index.ts'
import type { TokenLimits } from './token-limits.ts'

/** Parts that the endpoints share with the authentication of calls. */
export type OAuthParts = {
  readonly issuer: Issuer
  readonly tokens: TokenAuthenticator
  readonly consents: Consents
  readonly artifacts: Artifacts
}

type OAuthInput = OAuthParts & {
  readonly database: Database
  readonly authUrl: string
  /** The resource that tokens are for (RFC 8707). */
  readonly baseUrl: string
  readonly clock: Clock
  readonly browser: Browser
  /** Of requests with which an app proves itself, for each app at each address. */
  readonly tokenLimits: TokenLimits
  readonly devices: ReturnType<typeof deviceLimits>
  /** Of apps that register themselves, for each address; undefined where they may not. */
  readonly registrations: RateLimiter | undefined
  /** Ends a session of the pages, by its secret. */
  readonly endSession: (token: string) => Promise<unknown>
  readonly onError: (error: unknown) => void
}

/** An app that registers itself. */
export type Registration = Pick<Parameters<typeof makeClient>[0], 'name' | 'redirectUris' | 'type' | 'scopes'>

export type OAuthServices = ReturnType<typeof oauthServices>
/** An app as it was registered. */
export type OAuthClient = NonNullable<Awaited<ReturnType<OAuthServices['findClient']>>>
export type Person = NonNullable<Awaited<ReturnType<OAuthServices['findPerson']>>>
export type Workspace = Awaited<ReturnType<OAuthServices['listWorkspaces']>>[number]
export type SigningKey = Awaited<ReturnType<OAuthServices['signingKeys']>>[number]
/** Consent of a person to an app; null means all their workspaces, later ones included. */
export type Consent = Awaited<ReturnType<Consents['find']>>[number]

/** Composes the functions of the OAuth endpoints from the modules. */
export const oauthServices = ({ database, issuer, tokens, ...rest }: OAuthInput) => ({
  ...rest,
  /** Returns the signing keys; the first one signs. */
  signingKeys: () => issuer.signingKeys(),
  /** Returns the user of an access token; throws for one that is not valid. */
  authenticate: (token: string) => tokens.authenticate(token),
  /** Returns the grant and client of an app's access token; undefined for anything else. */
  grantOf: (token: string) => tokens.grantOf(token),
  isClientSecret,

  /** Returns credentials that are shown once (RFC 7591 §3.2.1); times in seconds since 1970, 0 is never. */
  registerClient: async ({ scopes, ...wish }: Registration) => {
    const given = { ...wish, workspaceId: null, isSelfRegistered: true, scopes: scopes && apiScopes(scopes) }
    const { row, secret } = makeClient(given, rest.clock.now())
    await database.write((tx) => insertClient(tx, row))
    return {
      client_id: row.id,
      client_id_issued_at: Math.floor(row.created_at / 1000),
      ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
    }
  },

  findClient: async (id: string) => {
    const row = isId(id) ? await findClient(database.reader, id) : undefined
    return (
      row && {
        id: row.id,
        name: row.name,
        /** Null for an app that cannot keep a secret. */
        secretHash: row.secret_hash,
        redirectUris: row.redirect_uris,
        /** The workspace to whose members alone it is open; null if it is open to users of all workspaces. */
        workspaceId: row.workspace_id,
        /** Scopes of the API that it may request; null: all but the personal ones. */
        scopes: row.scopes,
        /** It registered itself: no operator and no admin has looked at it. */
        isSelfRegistered: row.self_registered,
        /** Runs on a person's device, where any port of the loopback address will do. */
        isNative: isNative(row),
      }
    )
  },

  findPerson: async (id: string) => {
    const user = isId(id) ? await findUser(database.reader, id) : undefined
    return user && { id: user.id, name: user.name, email: user.email, isUnverified: user.unverified_since !== null }
  },

  /** Lists the workspaces of a person, by name. */
  listWorkspaces: async (userId: string) => {
    const memberships = await listMembershipsOfUser(database.reader, userId)
    return memberships.map(({ workspace_id, workspace_name }) => ({ id: workspace_id, name: workspace_name }))
  },
})

/** The time for which a device waits between two questions (RFC 8628 §3.2). */
export const pollSeconds = 5

/**
 * Limits of the device flow: polls for each code, and codes that each person types. One question in `pollSeconds`, and
 * one that comes a little early. Of 20^8 codes a person tries ten a minute, so that guessing at one that another person
 * is about to type comes to nothing.
 */
export const deviceLimits = (clock: Clock) => ({
  polls: new RateLimiter({ name: 'device-poll', limit: 2, windowSeconds: 2 * pollSeconds }, clock),
  tries: new RateLimiter({ name: 'device-code', limit: 10, windowSeconds: 60 }, clock),
})

/**
 * Returns the name of the app whose request continues at a path. Read without the library, which a sign-in page does
 * not load; that the request began in this browser is checked where it continues, since the cookie is sent only there.
 */
export async function requestingApp(
  { browser, artifacts, findClient: find }: OAuthServices,
  returnTo: string,
): Promise<string | undefined> {
  const start = browser.path(`${routes.interaction}/`)
  if (!returnTo.startsWith(start)) return undefined
  const found = await artifacts.find('Interaction', returnTo.slice(start.length))
  const parameters = found?.['params']
  const clientId = isRecord(parameters) ? parameters['client_id'] : undefined
  return isString(clientId) ? (await find(clientId))?.name : undefined
}
