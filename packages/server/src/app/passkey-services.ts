import type { PagePasskeys } from '../http/pages/accounts.ts'
import type { Runtime } from '../kernel/invoke/runtime.ts'
import type { Passkeys } from '../modules/identity/passkeys/index.ts'
import type { Sessions } from '../modules/identity/sign-in/index.ts'
import { findUser } from '../modules/identity/users/index.ts'
import type { SendNotice } from './account-notices.ts'

type Options = {
  readonly runtime: Pick<Runtime, 'database'>
  readonly passkeys: Passkeys
  readonly sessions: Sessions
  readonly notify: SendNotice
}

/** Composes the functions of passkeys that the pages use; a passkey counts as both factors (docs/decisions/0357). */
export function passkeyServices({ runtime: { database }, passkeys, sessions, notify }: Options): PagePasskeys {
  const report = async (userId: string, change: string): Promise<void> => {
    const user = await findUser(database.reader, userId)
    if (user !== undefined) notify({ userId, email: user.email, change })
  }
  return {
    list: (userId) => passkeys.list(userId),
    async registrationOptions(userId) {
      const user = await findUser(database.reader, userId)
      return user && passkeys.registrationOptions(user)
    },
    async add(userId, name, response) {
      const outcome = await passkeys.add(userId, name, response)
      if (outcome === 'added') await report(userId, 'A passkey was added to your Kontor account.')
      return outcome
    },
    async remove(userId, id) {
      if (await passkeys.remove(userId, id)) await report(userId, 'A passkey of your Kontor account was removed.')
    },
    signInOptions: () => passkeys.signInOptions(),
    async signIn(response, userAgent) {
      const userId = await passkeys.signIn(response)
      return userId === undefined ? undefined : database.write((tx) => sessions.start(tx, userId, userAgent))
    },
  }
}
