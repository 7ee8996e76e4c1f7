import type { JWK } from 'jose'
import type { RowOf } from '../../../db/columns.ts'
import { statement } from '../../../db/statement.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'

export type SigningKeyRow = RowOf<'signing_key'> & { readonly private_jwk: JWK }

const all = statement<Record<string, never>, SigningKeyRow>(({ knex }) =>
  knex('signing_key').select('kid', 'private_jwk', 'created_at').orderBy('created_at', 'desc'),
)

/** Newest first. */
export const listSigningKeys = (tx: ReadTx): Promise<SigningKeyRow[]> => tx.all(all, {})

export const insertSigningKey = (tx: Tx, row: SigningKeyRow): Promise<void> => tx.insert('signing_key', [row])

export const deleteSigningKeys = (tx: Tx, kids: readonly string[]): Promise<void> =>
  tx.deleteByKey(
    'signing_key',
    kids.map((kid) => ({ kid })),
  )
