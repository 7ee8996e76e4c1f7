import type { AccessLevel } from '@kontor/contract'
import { textOf } from '../../lib/guards.ts'
import type { ReadTx } from '../../db/tx.ts'
import { atLeast, levelBeforeGrants, levelOnRecord, type Principal, type Securable, type Level } from './rules.ts'
import { listGranted } from './store.ts'

/**
 * The caller's level on each of some targets of one object, as far as `needed`: where a target already gives that
 * level, its grants are not looked up, so nothing is read if the object is open to all.
 */
export async function levelsOn(
  tx: ReadTx,
  workspaceId: string,
  principal: Principal,
  some: readonly Securable[],
  needed: AccessLevel,
): Promise<(one: Securable) => Level> {
  const open =
    principal.userId === null
      ? []
      : some.filter((one) => !atLeast(levelBeforeGrants(principal, one), principal.role === 'viewer' ? 'view' : needed))
  if (open.length === 0) return (one) => levelBeforeGrants(principal, one)
  const granted = await listGranted(
    tx,
    workspaceId,
    textOf(principal.userId),
    open.map(({ id }) => id),
  )
  return (one) => levelOnRecord(principal, one, granted.get(one.id) ?? 'none')
}

/** The caller's level on one target. */
export const levelOn = async (
  tx: ReadTx,
  workspaceId: string,
  principal: Principal,
  one: Securable,
  needed: AccessLevel,
): Promise<Level> => (await levelsOn(tx, workspaceId, principal, [one], needed))(one)
