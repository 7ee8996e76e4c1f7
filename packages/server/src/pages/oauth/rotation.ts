import { errors, Provider } from 'oidc-provider'
import { invariant } from '../../lib/guards.ts'
import type { OAuthServices } from './services.ts'

type RefreshToken = InstanceType<Provider['RefreshToken']>

/** Methods of the library that are replaced here. The library does not document them, so startup checks them. */
type RotatedModel = { consume: (this: RefreshToken) => Promise<void>; generateTokenId: () => string }

export const isRotated = (model: object): model is RotatedModel =>
  ['consume', 'generateTokenId'].every((name) => typeof Reflect.get(model, name) === 'function')

/**
 * Has one refresh token always followed by the same one: its secret is chosen when the first is used up, and not by the
 * library when it makes the second. Reuse that comes too late ends the grant, as the library does where it sees it
 * itself.
 */
export function followWithOne(provider: Provider, { artifacts }: Pick<OAuthServices, 'artifacts'>): void {
  const successors = new WeakMap<object, string>()
  const model: object = provider.RefreshToken.prototype
  invariant(isRotated(model), 'a refresh token of the library is used up and named by methods of its own')
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
