import { errors, Provider } from 'oidc-provider'
import type { OAuthServices } from './services.ts'

type RefreshToken = InstanceType<Provider['RefreshToken']>

/**
 * Has one refresh token always followed by the same one: its secret is chosen when the first is used up, and not by the
 * library when it makes the second. Reuse that comes too late ends the grant, as the library does where it sees it
 * itself.
 */
export function followWithOne(provider: Provider, { artifacts }: Pick<OAuthServices, 'artifacts'>): void {
  const successors = new WeakMap<object, string>()
  const model = provider.RefreshToken.prototype as unknown as {
    consume: (this: RefreshToken) => Promise<void>
    generateTokenId: () => string
  }
  const newTokenId = model.generateTokenId
  model.consume = async function consume() {
    const successor = await artifacts.rotate(this.jti)
    if (successor !== undefined) return void successors.set(this, successor)
    if (this.grantId !== undefined) await artifacts.revokeGrant(this.grantId)
    throw new errors.InvalidGrant('refresh token already used')
  }
  model.generateTokenId = function generateTokenId() {
    const rotated = Provider.ctx?.oidc.entities.RotatedRefreshToken
    return (rotated && successors.get(rotated)) ?? newTokenId.call(this)
  }
}
