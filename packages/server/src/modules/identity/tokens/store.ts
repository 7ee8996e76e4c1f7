import type { JWK } from 'jose'
import type { RowOf } from '../../../db/columns.ts'
import { lister, rowsOf } from '../../../db/rows.ts'
import type { Tx } from '../../../db/tx.ts'

export type SigningKeyRow = RowOf<'signing_key'> & { readonly private_jwk: JWK }

const columns = ['kid', 'private_jwk', 'created_at'] as const

/** Newest first. */
export const listSigningKeys = lister<[], SigningKeyRow>(({ knex }) =>
  knex('signing_key')
    .select(...columns)
    .orderBy('created_at', 'desc'),
)

export const insertSigningKey = rowsOf<SigningKeyRow>('signing_key', columns).insert

export const deleteSigningKeys = (tx: Tx, kids: readonly string[]): Promise<void> =>
  tx.deleteByKey(
    'signing_key',
    kids.map((kid) => ({ kid })),
  )
