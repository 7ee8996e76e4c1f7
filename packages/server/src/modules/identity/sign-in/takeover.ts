import type { Tx } from '../../../db/tx.ts'
import type { Telling } from '../../../kernel/invoke/runtime.ts'
import { revokeKeysOfPerson } from '../api-keys/index.ts'
import { removeSecondFactor } from '../factors/index.ts'
import { deleteConsents } from '../oauth/index.ts'
import { deletePasskeys } from '../passkeys/index.ts'
import { deleteIdentities } from '../providers/index.ts'
import { emailKey, updateUser, type UserRow } from '../users/index.ts'
import { attemptKey } from './attempts.ts'
import { deleteLinks, deletePassword, deleteSessions, forgetAttempts } from './store.ts'

/** Revokes the sessions and app access of a user; personal keys stay, and the person is shown them. */
export async function endAccess(tx: Tx, { id, email }: Pick<UserRow, 'id' | 'email'>, now: number): Promise<void> {
  tx.publish('access')
  await deleteSessions(tx, id)
  await deleteLinks(tx, id)
  await deleteConsents(tx, { user_id: id }, now)
  await forgetAttempts(tx, attemptKey(emailKey(email)))
}

/**
 * Gives an account to the person who has just verified its address: access that an earlier holder set up no longer
 * works (docs/decisions/0088).
 */
export async function takeOver(tx: Tx, telling: Telling, user: Pick<UserRow, 'id' | 'email'>): Promise<void> {
  await endAccess(tx, user, telling.clock.now())
  await deletePassword(tx, user.id)
  await removeSecondFactor(tx, user.id)
  await deletePasskeys(tx, user.id)
  await deleteIdentities(tx, user.id)
  await revokeKeysOfPerson(tx, telling, user.id)
  await updateUser(tx, { id: user.id, unverified_since: null })
}
