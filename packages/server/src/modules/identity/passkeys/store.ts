import type { RowOf } from '../../../db/columns.ts'
import { rowsOf } from '../../../db/rows.ts'
import type { Tx } from '../../../db/tx.ts'

/** A passkey of a user; `uses` is the counter of its authenticator, which may stay 0. */
type PasskeyRow = RowOf<'passkey'>

const columns = ['user_id', 'credential_id', 'public_key', 'uses', 'name', 'created_at', 'last_used_at'] as const

const passkeys = rowsOf<PasskeyRow>('passkey', columns)

/** Returns the passkeys of a user, the oldest first. */
export const listPasskeys = passkeys.list(['user_id'], 'created_at', 'credential_id')

/** Returns whether the user did not have the passkey before. */
export const insertPasskey = passkeys.insertNew

/** Notes a use of a passkey. */
export const usePasskey = passkeys.update('user_id', 'credential_id')

/** Returns whether a challenge was not used before, on any node; from now on it is. Forgets those that are too old. */
export async function useChallenge(tx: Tx, challenge_hash: string, now: number, keptMs: number): Promise<boolean> {
  await tx.change(({ knex }) =>
    knex('used_challenge')
      .where('used_at', '<', now - keptMs)
      .delete(),
  )
  return (await tx.insertNew('used_challenge', [{ challenge_hash, used_at: now }], ['challenge_hash'])).length === 1
}

/** Returns whether the user had the passkey. */
export const deletePasskey = async (tx: Tx, userId: string, credentialId: string): Promise<boolean> =>
  (await tx.deleteReturning('passkey', [{ user_id: userId, credential_id: credentialId }], ['credential_id']))
    .length === 1

/** Removes all passkeys of a user. */
export const deletePasskeys = (tx: Tx, userId: string): Promise<number> =>
  tx.change(({ knex }) => knex('passkey').where('user_id', userId).delete())
