import type { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { errors, interactionPolicy, Provider, type Configuration, type KoaContextWithOIDC } from 'oidc-provider'
import { invariant, isList, isRecord } from '../../lib/guards.ts'
import { accessTokenSeconds } from '../../kernel/actor.ts'
import { toFailure } from '../../kernel/invoke/database-failures.ts'
import { Failure } from '../../kernel/errors.ts'
import { adapterOf } from './adapter.ts'
import { claimsOf } from './userinfo.ts'
import { sendErrorPage } from './error-page.ts'
import { deviceCodeSeconds } from './device-codes.ts'
import { pollSeconds, type OAuthServices, type Person, type SigningKey } from './services.ts'
import { introspectAccessTokens } from './introspection.ts'
import { othersToken, revokeAccessTokens } from './revocation.ts'
import { resourcesOf } from './resource-metadata.ts'
import { routes } from '../../http/oauth/routes.ts'
import { followWithOne } from './rotation.ts'
import { askedScopes, forbiddenScope, knownScopes, permittedScopes, readScopes } from './scopes.ts'
import { sharePagesSession } from './session.ts'
import { grantOf } from './grants.ts'

const refreshTokenSeconds = 30 * 86_400
const codeSeconds = 60
/** The time a person may take to find a password and to read what an app asks for. */
const interactionSeconds = 3600
/** Enough for the code and the access token of an app that comes once; refresh tokens prolong it. */
const grantSeconds = codeSeconds + accessTokenSeconds + interactionSeconds

/** The protocol, by the certified library, for the keys that there are now. */
export function createProvider(services: OAuthServices, keys: readonly SigningKey[]): Provider {
  const provider = new Provider(services.authUrl, configurationOf(services, keys))
  // The address of a request is that of AUTH_URL, which is written into it before: no client's headers decide where
  // we send people.
  provider.proxy = true
  sharePagesSession(provider, services.browser)
  revokeAccessTokens(provider, services)
  introspectAccessTokens(provider, services)
  followWithOne(provider, services)
  // A grant is for one workspace or for all; the library keeps what stands in this list.
  Object.defineProperty(provider.Grant, 'IN_PAYLOAD', { value: [...grantPayload(provider), 'workspaceId'] })
  provider.Client.prototype.compareClientSecret = function compareClientSecret(given: string): boolean {
    return this.clientSecret !== undefined && services.isClientSecret(given, this.clientSecret)
  }
  provider.on('server_error', (ctx, error) => {
    const failed = toFailure(error)
    if (failed instanceof Failure) refusals.set(ctx.req, failed)
    else services.onError(error)
  })
  provider.use(leaveRefused)
  provider.use(tellInterval)
  const emitter: EventEmitter = provider
  emitter.on('error', services.onError)
  return provider
}

/** Requests that the library was about to answer with an error of ours, which stands for a state of this server. */
// A request has one app, so that no other can find it here.
// oxlint-disable-next-line kontor/module-state
const refusals = new WeakMap<IncomingMessage, Failure>()

/** Has the library send nothing of its own for such a request: its answer would be 500, or a redirect to the app. */
const leaveRefused: Parameters<Provider['use']>[0] = async (ctx, next) => {
  await next()
  if (!refusals.has(ctx.req)) return
  ctx.respond = false
  for (const name of ['Location', 'Content-Type', 'Content-Length']) ctx.res.removeHeader(name)
}

/** Returns the failure that refused a request, for which the library has sent nothing. */
export const refusalOf = (request: IncomingMessage): Failure | undefined => refusals.get(request)

/** Returns the interval in which a device may ask, which the library leaves to its makers to know (RFC 8628 §3.2). */
const tellInterval: Parameters<Provider['use']>[0] = async (ctx, next) => {
  await next()
  const { oidc }: Partial<KoaContextWithOIDC> = ctx
  if (oidc?.route === 'device_authorization' && isRecord(ctx.body) && ctx.status === 200)
    ctx.body = { ...ctx.body, interval: pollSeconds }
}

/** Returns the members that a grant stores, by name. The library does not document them, so startup checks them. */
export function grantPayload({ Grant }: Pick<Provider, 'Grant'>): readonly unknown[] {
  const members: unknown = Reflect.get(Grant, 'IN_PAYLOAD')
  invariant(isList(members), 'a grant of the library lists the members that it stores')
  return members
}

type Client = InstanceType<Provider['Client']>

function configurationOf(services: OAuthServices, keys: readonly SigningKey[]): Configuration {
  const { authUrl, browser, clock } = services
  return {
    adapter: adapterOf(services),
    jwks: {
      keys: keys.map(({ kid, private_jwk }) => ({ ...private_jwk, kid, alg: 'ES256', use: 'sig' })) as NonNullable<
        Configuration['jwks']
      >['keys'],
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    responseTypes: ['code'],
    scopes: [...knownScopes],
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
    cookies: {
      names: { interaction: 'kontor_connect', resume: 'kontor_connect_resume', session: 'kontor_connect_session' },
    },
    routes: {
      authorization: routes.authorization,
      token: routes.token,
      revocation: routes.revocation,
      introspection: routes.introspection,
      device_authorization: routes.deviceAuthorization,
      code_verification: routes.device,
      jwks: routes.jwks,
    },
    ttl: {
      AccessToken: accessTokenSeconds,
      AuthorizationCode: codeSeconds,
      DeviceCode: deviceCodeSeconds,
      Grant: grantSeconds,
      IdToken: accessTokenSeconds,
      Interaction: interactionSeconds,
      RefreshToken: refreshTokenSeconds,
    },
    features: featuresOf(services, keys),
    discovery: {
      userinfo_endpoint: authUrl + routes.userinfo,
      end_session_endpoint: authUrl + routes.logout,
      ...(services.registrations !== undefined && { registration_endpoint: authUrl + routes.registration }),
      service_documentation: `${new URL(services.baseUrl).origin}/docs`,
    },
    // No app sends this parameter: it stands for looking at what an app asks for once more, when everything else has
    // been checked.
    extraParams: { kontor_scope: (ctx) => completeScope(services, ctx) },
    interactions: { url: (_ctx, { uid }) => browser.path(`${routes.interaction}/${uid}`), policy: policy() },
    clientBasedCORS: (_ctx, origin, client) => client.clientAuthMethod === 'none' && originsOf(client).includes(origin),
    findAccount: async (_ctx, id) => accountOf(await services.findPerson(id)),
    loadExistingGrant: (ctx) => grantOf(services, ctx),
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    extraTokenClaims: (_ctx, token) => ('grantId' in token ? { grant: token.grantId } : undefined),
    formats: {
      customizers: {
        // By our clock, as everything else of a token's life is.
        jwt: (_ctx, _token, { payload }) => {
          const issuedAt = Math.floor(clock.now() / 1000)
          Object.assign(payload, { iat: issuedAt, exp: issuedAt + accessTokenSeconds })
        },
      },
    },
    renderError: (ctx, out, error) => sendErrorPage(ctx, out, error),
  }
}

/** Where the pages of an app are that runs in a browser; a scheme of its own has no origin. */
const originsOf = ({ redirectUris = [] }: Client): string[] =>
  redirectUris.map((uri) => new URL(uri).origin).filter((origin) => origin !== 'null')

/** Tokens are JWTs for the API alone, which is the resource where none is named. Unused features are off. */
const featuresOf = (
  { baseUrl, findClient }: OAuthServices,
  [signing]: readonly SigningKey[],
): NonNullable<Configuration['features']> => ({
  devInteractions: { enabled: false },
  // The pages of it are ours.
  deviceFlow: { enabled: true, deviceInfo: () => ({}) },
  dPoP: { enabled: false },
  pushedAuthorizationRequests: { enabled: false },
  rpInitiatedLogout: { enabled: false },
  revocation: { enabled: true, allowedPolicy: requireOwnToken },
  introspection: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
  // Ours takes the access tokens of the API; the library's would want tokens of its own kind.
  userinfo: { enabled: false },
  resourceIndicators: {
    enabled: true,
    defaultResource: () => baseUrl,
    useGrantedResource: () => true,
    getResourceServerInfo: async (ctx, resource, client) => {
      if (!resourcesOf(baseUrl).includes(resource))
        throw new errors.InvalidTarget(`the resources are ${resourcesOf(baseUrl).join(' and ')}`)
      const scopes = (await findClient(client.clientId))?.scopes ?? null
      const asked = new Set([...knownScopes, ...(scopes ?? []), ...requestedScopes(ctx)])
      return {
        scope: permittedScopes([...asked], { scopes }).join(' '),
        audience: baseUrl,
        accessTokenFormat: 'jwt',
        accessTokenTTL: accessTokenSeconds,
        jwt: { sign: { alg: 'ES256', ...(signing && { kid: signing.kid }) } },
      }
    },
  },
})

/** RFC 7009 §2.1: an app that asks for the token of another is told. */
function requireOwnToken(
  _ctx: KoaContextWithOIDC,
  client: Client,
  token: { readonly clientId?: string | undefined },
): true {
  if (token.clientId !== client.clientId) throw new errors.InvalidRequest(othersToken)
  return true
}

/** Returns the scopes that were requested, now or when the redeemed code or token was issued. */
function requestedScopes({ oidc }: KoaContextWithOIDC): string[] {
  const { AuthorizationCode: code, DeviceCode: deviceCode, RefreshToken: refreshToken } = oidc.entities
  return [oidc.params?.['scope'], code?.scope, deviceCode?.scope, refreshToken?.scope].flatMap(readScopes)
}

/**
 * Returns the scopes of a request: all registered ones if it names none of the API, and none beyond. The
 * library drops `offline_access` where an app does not ask for the prompt too (OpenID Connect Core §11, which lets
 * other conditions do): here every user is asked, and what they said is remembered.
 */
async function completeScope({ findClient }: OAuthServices, { oidc, query }: KoaContextWithOIDC): Promise<void> {
  const client = await findClient(oidc.client?.clientId ?? '')
  if (client === undefined || oidc.params === undefined) return
  const given = oidc.body?.['scope'] ?? query['scope']
  const asked = askedScopes(typeof given === 'string' ? given : '', client)
  const forbidden = forbiddenScope(asked, client)
  if (forbidden !== undefined) throw new errors.InvalidScope('the app is not registered for this scope', forbidden)
  oidc.params['scope'] = readScopes(asked.join(' ')).join(' ')
}

/** The prompts of OpenID Connect; to choose an account is to sign in again. */
function policy(): interactionPolicy.DefaultPolicy {
  const prompts = interactionPolicy.base()
  prompts.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0)
  return prompts
}

const accountOf = (person: Person | undefined) =>
  person && { accountId: person.id, claims: () => claimsOf(person, ['profile', 'email']) }
