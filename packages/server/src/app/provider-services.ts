import type { PageProviders } from '../http/pages/provider-services.ts'
import type { Runtime } from '../kernel/invoke/runtime.ts'
import { deleteIdentities, type Providers } from '../modules/identity/providers/index.ts'
import { findIdentified, type SecondStep } from '../modules/identity/sign-in/index.ts'

type Options = {
  readonly runtime: Runtime
  readonly providers: Providers
  readonly secondStep: SecondStep
  readonly onAccessEnded: () => void
}

/** Composes sign-in by other providers. */
export const providerServices = ({ runtime, providers, secondStep, onAccessEnded }: Options): PageProviders => ({
  all: providers.all,
  async disconnect(userId, issuer) {
    await runtime.database.write((tx) => deleteIdentities(tx, userId, issuer))
  },
  begin: (id, visit) => providers.begin(id, visit),
  async finish(id, query, kept, userAgent) {
    const outcome = await providers.finish(id, query, kept)
    if (outcome === undefined) return { refused: 'failed' }
    const { identity, email, isVerified, returnTo } = outcome
    const options = { database: runtime.database, telling: runtime, onAccessEnded }
    const user = await findIdentified(options, identity, isVerified ? email : undefined)
    if (user === undefined) return isVerified ? { refused: 'unknown', email } : { refused: 'unverified' }
    if (user === 'other') return { refused: 'other', email }
    return { ...(await secondStep.after(user.id, userAgent)), returnTo }
  },
})
