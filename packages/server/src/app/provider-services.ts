import type { PageProviders } from '../http/pages/provider-services.ts'
import type { Runtime } from '../kernel/invoke/runtime.ts'
import type { Providers } from '../modules/identity/providers/index.ts'
import { takeOver, type SecondStep } from '../modules/identity/sign-in/index.ts'
import { findUser, findUserByEmail } from '../modules/identity/users/index.ts'

type Options = {
  readonly runtime: Runtime
  readonly providers: Providers
  readonly secondStep: SecondStep
  readonly onAccessEnded: () => void
}

/** Composes sign-in by other providers: the account is found by the e-mail address that the provider has verified. */
export const providerServices = ({ runtime, providers, secondStep, onAccessEnded }: Options): PageProviders => ({
  all: providers.all,
  begin: (id, visit) => providers.begin(id, visit),
  async finish(id, query, kept, userAgent) {
    const { database } = runtime
    const identity = await providers.finish(id, query, kept)
    if (identity === undefined) return { refused: 'failed' }
    const { email, isVerified, returnTo } = identity
    if (!isVerified) return { refused: 'unverified' }
    const user = await findUserByEmail(database.reader, email)
    if (user === undefined) return { refused: 'unknown', email }
    if (user.unverified_since !== null) {
      await database.write(async (tx) => {
        const current = await findUser(tx, user.id)
        if (current !== undefined && current.unverified_since !== null) await takeOver(tx, runtime, current)
      })
      onAccessEnded()
    }
    return { ...(await secondStep.after(user.id, userAgent)), returnTo }
  },
})
