import type { Tx } from '../../db/tx.ts'
import { deleteAllKeysOfUser } from '../api-keys/index.ts'
import { deleteConsents } from '../oauth/index.ts'
import { emailKey, markVerified, type UserRow } from '../users/index.ts'
import { attemptKey, forgetAttempts } from './attempts.ts'
import { deleteLinks, deletePassword, deleteSessions } from './store.ts'

/** Ends what lets browsers and apps in as somebody; the personal keys stay, which the person is shown. */
export async function endAccess(tx: Tx, { id, email }: Pick<UserRow, 'id' | 'email'>): Promise<void> {
  await deleteSessions(tx, id)
  await deleteLinks(tx, id)
  await deleteConsents(tx, { user_id: id })
  await forgetAttempts(tx, attemptKey(emailKey(email)))
}

/**
 * Gives an account to the person whose address it has, who has just shown that: whatever was put into it before, by
 * whoever held it, opens nothing any more (docs/decisions/0115).
 */
export async function takeOver(tx: Tx, user: Pick<UserRow, 'id' | 'email'>): Promise<void> {
  await endAccess(tx, user)
  await deletePassword(tx, user.id)
  await deleteAllKeysOfUser(tx, user.id)
  await markVerified(tx, user.id)
}
