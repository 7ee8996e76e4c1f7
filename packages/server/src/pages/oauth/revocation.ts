import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { memberOf } from '../../lib/guards.ts'
import type { OAuthServices } from './services.ts'

export const othersToken = 'the token was issued to another client'

/**
 * Revokes access tokens too (RFC 7009 §2.1), which the library leaves to expire, since they are JWTs: here they end
 * with the grant that they were made of, and so do the codes and refresh tokens beside them. By then it has said who
 * asks.
 */
export function revokeAccessTokens(
  provider: Provider,
  { grantOf, artifacts }: Pick<OAuthServices, 'grantOf' | 'artifacts'>,
): void {
  provider.use(async (ctx, next) => {
    await next()
    const { oidc }: Partial<KoaContextWithOIDC> = ctx
    const body: unknown = ctx.body
    if (oidc?.route !== 'revocation') return
    // RFC 7009 §2.2: the content of a success means nothing, and clients that read JSON get some.
    if (ctx.status === 200) ctx.body = {}
    if (memberOf(body, 'error') !== 'unsupported_token_type') return
    const granted = await grantOf(String(oidc.params?.['token']))
    if (granted !== undefined && granted.clientId !== oidc.client?.clientId) {
      ctx.body = { error: 'invalid_request', error_description: othersToken }
      return
    }
    if (granted !== undefined) await artifacts.revokeGrant(granted.grantId)
    ctx.status = 200
    ctx.body = {}
  })
}
