import { decodeJwt } from 'jose'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { Failure } from '../../kernel/errors.ts'
import { memberOf } from '../../lib/guards.ts'
import type { OAuthServices } from './services.ts'

/**
 * Tells of access tokens too (RFC 7662), which the library leaves alone, since they are JWTs. An app learns of its own
 * tokens only: of any other, as of one that is over, that it is not active. By then the library has said who asks.
 */
export function introspectAccessTokens(provider: Provider, services: OAuthServices): void {
  provider.use(async (ctx, next) => {
    await next()
    const { oidc }: Partial<KoaContextWithOIDC> = ctx
    if (oidc?.route !== 'introspection' || memberOf(ctx.body, 'error') !== 'unsupported_token_type') return
    const body = await introspected(services, String(oidc.params?.['token']), oidc.client?.clientId)
    ctx.status = 200
    ctx.body = body
  })
}

async function introspected(
  { authenticate, grantOf, authUrl }: OAuthServices,
  token: string,
  clientId: string | undefined,
): Promise<object> {
  const granted = await grantOf(token)
  if (granted === undefined || granted.clientId !== clientId || !(await isValid(authenticate, token)))
    return { active: false }
  const { sub, scope, aud, iat, exp } = decodeJwt(token)
  return { active: true, token_type: 'Bearer', client_id: clientId, iss: authUrl, sub, scope, aud, iat, exp }
}

async function isValid(authenticate: OAuthServices['authenticate'], token: string): Promise<boolean> {
  try {
    await authenticate(token)
    return true
  } catch (error) {
    if (error instanceof Failure && error.status === 401) return false
    throw error
  }
}
