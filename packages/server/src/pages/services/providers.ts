import type { Runtime } from '../../kernel/invoke/runtime.ts'
import { deleteIdentities, type Providers } from '../../modules/identity/providers/index.ts'
import { findIdentified, type SecondStep } from '../../modules/identity/sign-in/index.ts'

type Options = {
  readonly runtime: Runtime
  readonly providers: Providers
  readonly secondStep: SecondStep
  readonly onAccessEnded: () => void
}

/** Composes sign-in by other providers. */
export const providerServices = ({ runtime, providers, secondStep, onAccessEnded }: Options) => ({
  all: providers.all.map(({ id, name }) => ({ id, name })),
  /** Unlinks an account from the person's account at a provider. */
  disconnect: async (userId: string, issuer: string): Promise<void> => {
    await runtime.database.write((tx) => deleteIdentities(tx, userId, issuer))
  },
  begin: (...given: Parameters<Providers['begin']>) => providers.begin(...given),
  /** Starts a session for the account of the person at the provider. */
  async finish(id: string, query: URLSearchParams, kept: string, userAgent: string | undefined) {
    const outcome = await providers.finish(id, query, kept)
    if (outcome === undefined) return { refused: 'failed' as const }
    const { identity, email, isVerified, returnTo } = outcome
    const options = { database: runtime.database, telling: runtime, onAccessEnded }
    const user = await findIdentified(options, identity, isVerified ? email : undefined)
    if (user === undefined)
      return isVerified ? { refused: 'unknown' as const, email } : { refused: 'unverified' as const }
    if (user === 'other') return { refused: 'other' as const, email }
    return { ...(await secondStep.after(user.id, userAgent)), returnTo }
  },
})
