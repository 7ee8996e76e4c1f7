import type { RowOf } from '../../../db/columns.ts'
import { rowsOf } from '../../../db/rows.ts'
import type { Tx } from '../../../db/tx.ts'

/** An earlier secret of a key, which a rotation promised to keep valid until an instant. */
export type RetiredKeyRow = RowOf<'retired_key'>

const columns = ['workspace_id', 'key_id', 'key_hash', 'valid_until'] as const

export const listRetired = rowsOf<RetiredKeyRow>('retired_key', columns).list(['workspace_id', 'key_id'])

/** Replaces the earlier secrets of a key. */
export async function replaceRetired(
  tx: Tx,
  before: readonly RetiredKeyRow[],
  after: readonly RetiredKeyRow[],
): Promise<void> {
  const kept = new Set(after)
  const known = new Set(before)
  await tx.deleteByKey(
    'retired_key',
    before
      .filter((row) => !kept.has(row))
      .map(({ workspace_id, key_id, key_hash }) => ({ workspace_id, key_id, key_hash })),
  )
  await tx.insert(
    'retired_key',
    after.filter((row) => !known.has(row)),
  )
}

/** Deletes the earlier secrets of keys that are deleted. */
export const deleteRetired = (
  tx: Tx,
  keys: readonly { readonly workspace_id: string; readonly id: string }[],
): Promise<void> =>
  tx.deleteByKey(
    'retired_key',
    keys.map(({ workspace_id, id }) => ({ workspace_id, key_id: id })),
  )
