import type { Runtime } from '../../kernel/invoke/runtime.ts'
import { removeSecondFactor, type SecondFactors } from '../../modules/identity/factors/index.ts'
import type { SecondStep } from '../../modules/identity/sign-in/index.ts'
import { findUser } from '../../modules/identity/users/index.ts'
import type { SendNotice } from './notices.ts'

type Options = {
  readonly runtime: Pick<Runtime, 'database'>
  readonly factors: SecondFactors
  readonly secondStep: SecondStep
  readonly notify: SendNotice
}

/** Composes what the pages do with second factors. */
export function secondFactorServices({ runtime: { database }, factors, secondStep, notify }: Options) {
  const tell = async (userId: string, change: string): Promise<void> => {
    const user = await findUser(database.reader, userId)
    if (user !== undefined) notify({ userId, email: user.email, change })
  }
  return {
    finish: (...given: Parameters<SecondStep['finish']>) => secondStep.finish(...given),
    find: (userId: string) => factors.find(userId),
    enrol: async (userId: string, setup?: string) => {
      const user = await findUser(database.reader, userId)
      return user && factors.enrol(user, setup)
    },
    /** Returns the recovery codes, this once. */
    async confirm(userId: string, setup: string, code: string) {
      const codes = await factors.confirm(userId, setup, code)
      if (codes !== undefined) await tell(userId, 'A second factor was turned on for your Kontor account.')
      return codes
    },
    async remove(userId: string, code: string) {
      const outcome = await secondStep.prove(userId, code)
      if (outcome !== 'right') return outcome
      await database.write((tx) => removeSecondFactor(tx, userId))
      await tell(userId, 'The second factor of your Kontor account was turned off.')
      return 'done' as const
    },
    async renewCodes(userId: string, code: string) {
      const outcome = await secondStep.prove(userId, code)
      if (outcome !== 'right') return outcome
      const codes = await database.write((tx) => factors.renewCodes(tx, userId))
      await tell(userId, 'New recovery codes were created for your Kontor account; the earlier ones no longer work.')
      return { codes }
    },
  }
}
