import { createHash, randomBytes, randomUUID } from 'node:crypto'
import * as oauth from 'openid-client'
import { Admin, type ClientRequest } from '@kontor/server/admin'
import type { AppOptions } from '@kontor/server'
import type { TestDatabase } from './database.ts'
import { formOf, journeyOf, type Seen, type Journey } from './journey.ts'

type Setting = {
  readonly database: TestDatabase
  readonly clock: AppOptions['clock']
  readonly origin: string
  readonly authUrl: string
  readonly userIds: Readonly<Record<string, string>>
}

export const appAddress = 'https://app.example.com/callback'

/** The calls that an app and its person need of the server under test. */
export function oauthOf({ database, clock, origin, authUrl, userIds }: Setting) {
  const admin = new Admin({ database, clock, authUrl })
  const signedIn = async (userId: string | undefined): Promise<Journey> => {
    const visitor = journeyOf(origin)
    const token = randomBytes(32).toString('base64url')
    const now = clock.now()
    const row = {
      id: randomUUID(),
      token_hash: createHash('sha256').update(token).digest('base64url'),
      user_id: userId!,
      user_agent: null,
      created_at: now,
      last_seen_at: now,
    }
    await database.write((tx) => tx.insert('session', [row]))
    visitor.setCookie('kontor_session', token)
    return visitor
  }
  const revokeAppOf = async (userId: string, clientId: string): Promise<void> => {
    const visitor = await signedIn(userId)
    const page = await visitor.open(`${authUrl}/auth/account`)
    const { hidden } = formOf(page)
    await visitor.post(`${authUrl}/auth/account/app`, { ...hidden, id: clientId })
  }
  return {
    admin,
    /** A browser in which a person has signed in, or none. */
    visitor: async (person?: string): Promise<Journey> =>
      person === undefined ? journeyOf(origin) : signedIn(userIds[person]),
    /** The same for a person by their id. */
    visitorOf: (userId: string): Promise<Journey> => signedIn(userId),
    /** All that the database has of apps, as text. */
    async stored(): Promise<string> {
      const rows = await Promise.all(
        ['oauth_artifact', 'oauth_client', 'oauth_consent'].map((table) =>
          database.reader.query(({ knex }) => knex(table)),
        ),
      )
      return JSON.stringify(rows)
    },
    /** The consents of a person, by app. */
    consents: (person: string) =>
      database.reader.query<{ client_id: string; scopes: string[]; last_used_at: number | null }>(({ knex }) =>
        knex('oauth_consent')
          .where('user_id', userIds[person] ?? '')
          .orderBy('client_id'),
      ),
    /** Revokes an app, as a person does on the page of their account. */
    revokeApp: (person: string, clientId: string) => revokeAppOf(userIds[person] ?? '', clientId),
    revokeAppOf,
    /** Leaves an app with what one has whose registration names no scopes. */
    unname: (clientId: string) =>
      database.write((tx) => tx.updateByKey('oauth_client', ['id'], [{ id: clientId, scopes: null }])),
    /** Registers an app, and gives it the certified client. */
    async register(request: Partial<ClientRequest> = {}): Promise<ThirdParty> {
      const { client_id, client_secret } = await admin.createOAuthClient({
        name: 'Mail Merge',
        redirectUris: [appAddress],
        type: 'confidential',
        ...request,
      })
      const config = await oauth.discovery(new URL(authUrl), client_id, undefined, provenBy(client_secret), {
        execute: [oauth.allowInsecureRequests],
      })
      return {
        clientId: client_id,
        secret: client_secret,
        redirectUri: request.redirectUris?.[0] ?? appAddress,
        config,
      }
    },
  }
}

/** An app of a third party, as its makers write it: on `openid-client`, which is certified. */
export type ThirdParty = {
  readonly clientId: string
  readonly secret: string | undefined
  readonly config: oauth.Configuration
  readonly redirectUri: string
}

const provenBy = (secret: string | undefined) => (secret === undefined ? oauth.None() : oauth.ClientSecretBasic(secret))

/** The same app, which a load balancer leads to another node for its tokens. */
export function ledTo(origin: string, third: ThirdParty): ThirdParty {
  const { issuer } = third.config.serverMetadata()
  const config = new oauth.Configuration(
    {
      issuer,
      token_endpoint: `${origin}/oauth2/token`,
      authorization_response_iss_parameter_supported: true,
      id_token_signing_alg_values_supported: ['ES256'],
    },
    third.clientId,
    undefined,
    provenBy(third.secret),
  )
  oauth.allowInsecureRequests(config)
  return { ...third, config }
}

export type AuthorizationRequest = { readonly url: string; readonly verifier: string; readonly state: string }

/** The address to which the app sends a person. */
export async function ask(
  { config, redirectUri }: ThirdParty,
  scope: string,
  parameters: Readonly<Record<string, string>> = {},
): Promise<AuthorizationRequest> {
  const [verifier, state] = [oauth.randomPKCECodeVerifier(), oauth.randomState()]
  const code_challenge = await oauth.calculatePKCECodeChallenge(verifier)
  const url = oauth.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge,
    code_challenge_method: 'S256',
    ...parameters,
  })
  return { url: url.href, verifier, state }
}

/** Redeems the address to which the person was sent back, as the app does. */
export const redeem = (
  { config }: ThirdParty,
  { verifier, state }: AuthorizationRequest,
  returned: string,
): Promise<Tokens> =>
  oauth.authorizationCodeGrant(config, new URL(returned), { pkceCodeVerifier: verifier, expectedState: state })

export type Tokens = Awaited<ReturnType<typeof oauth.authorizationCodeGrant>>

/** From the consent page on: the person says yes, and the browser stands before the app's own address. */
export async function allow(visitor: Journey, page: Seen): Promise<string> {
  if (!formOf(page).action.includes('/oauth2/connect/')) throw new Error(`No consent page: ${page.url}`)
  return leaving(await visitor.submit(page, { answer: 'allow' }))
}

/** The address of the app that a redirect leads to. */
export function leaving({ location, url, status, text }: Seen): string {
  if (location === null) throw new Error(`No redirect from ${url} (${status}):\n${text.slice(0, 2000)}`)
  return location
}

/** The whole way, for a person who is signed in and says yes. */
export async function connect(
  app: ThirdParty,
  visitor: Journey,
  scope: string,
  parameters?: Readonly<Record<string, string>>,
): Promise<Tokens> {
  const asked = await ask(app, scope, parameters)
  const page = await visitor.open(asked.url)
  return redeem(app, asked, page.location ?? (await allow(visitor, page)))
}
