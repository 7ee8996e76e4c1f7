import type { Runtime } from '../../kernel/invoke/runtime.ts'
import type { Passkeys } from '../../modules/identity/passkeys/index.ts'
import type { Sessions } from '../../modules/identity/sign-in/index.ts'
import { findUser } from '../../modules/identity/users/index.ts'
import type { SendNotice } from './notices.ts'

type Options = {
  readonly runtime: Pick<Runtime, 'database'>
  readonly passkeys: Passkeys
  readonly sessions: Sessions
  readonly notify: SendNotice
}

/** Composes the functions of passkeys that the pages use; a passkey counts as both factors (docs/decisions/0357). */
export function passkeyServices({ runtime: { database }, passkeys, sessions, notify }: Options) {
  const report = async (userId: string, change: string): Promise<void> => {
    const user = await findUser(database.reader, userId)
    if (user !== undefined) notify({ userId, email: user.email, change })
  }
  return {
    list: (userId: string) => passkeys.list(userId),
    /** Returns the options for the browser as JSON; undefined if the user is gone. */
    async registrationOptions(userId: string) {
      const user = await findUser(database.reader, userId)
      return user && passkeys.registrationOptions(user)
    },
    async add(userId: string, name: string, response: string) {
      const outcome = await passkeys.add(userId, name, response)
      if (outcome === 'added') await report(userId, 'A passkey was added to your Kontor account.')
      return outcome
    },
    async remove(userId: string, id: string): Promise<void> {
      if (await passkeys.remove(userId, id)) await report(userId, 'A passkey of your Kontor account was removed.')
    },
    signInOptions: () => passkeys.signInOptions(),
    /** Starts a session for the owner of the passkey, and returns its token. */
    async signIn(response: string, userAgent: string | undefined) {
      const userId = await passkeys.signIn(response)
      return userId === undefined ? undefined : database.write((tx) => sessions.start(tx, userId, userAgent))
    },
  }
}
