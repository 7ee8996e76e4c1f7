import type { RowOf } from '../../../db/columns.ts'
import { param, statement } from '../../../db/statement.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'

/** A passkey of a user; `uses` is the counter of its authenticator, which may stay 0. */
export type PasskeyRow = RowOf<'passkey'>

const columns = [
  'user_id',
  'credential_id',
  'public_key',
  'uses',
  'name',
  'created_at',
  'last_used_at',
  'last_challenge_at',
] as const

const ofUser = statement<{ user_id: string }, PasskeyRow>(({ knex }) =>
  knex('passkey')
    .select(...columns)
    .where('user_id', param('user_id'))
    .orderBy(['created_at', 'credential_id']),
)

const use = statement<Pick<PasskeyRow, 'user_id' | 'credential_id' | 'uses' | 'last_challenge_at'> & Used, never>(
  ({ knex }) =>
    knex('passkey')
      .update({
        uses: param('uses'),
        last_used_at: param('used_at'),
        last_challenge_at: param('last_challenge_at'),
      })
      .where({ user_id: param('user_id'), credential_id: param('credential_id') })
      .where('last_challenge_at', '<', param('before')),
)

type Used = { readonly used_at: number; readonly before: number }

/** Returns the passkeys of a user, the oldest first. */
export const listPasskeys = (tx: ReadTx, userId: string): Promise<PasskeyRow[]> => tx.all(ofUser, { user_id: userId })

/** Returns whether the user did not have the passkey before. */
export const insertPasskey = async (tx: Tx, row: PasskeyRow): Promise<boolean> =>
  (await tx.insertNew('passkey', [row], ['user_id', 'credential_id'])).length === 1

/** Notes a use; returns false if the challenge, or a later one, was used before. */
export const usePasskey = async (
  tx: Tx,
  { user_id, credential_id, uses }: Pick<PasskeyRow, 'user_id' | 'credential_id' | 'uses'>,
  { challengeAt, now }: { readonly challengeAt: number; readonly now: number },
): Promise<boolean> =>
  (await tx.run(use, {
    user_id,
    credential_id,
    uses,
    used_at: now,
    last_challenge_at: challengeAt,
    before: challengeAt,
  })) === 1

/** Returns whether the user had the passkey. */
export const deletePasskey = async (tx: Tx, userId: string, credentialId: string): Promise<boolean> =>
  (await tx.deleteReturning('passkey', [{ user_id: userId, credential_id: credentialId }], ['credential_id']))
    .length === 1

/** Removes all passkeys of a user. */
export const deletePasskeys = (tx: Tx, userId: string): Promise<number> =>
  tx.change(({ knex }) => knex('passkey').where('user_id', userId).delete())
