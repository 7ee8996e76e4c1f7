import type { AccessLevel } from '@kontor/contract'
import type { ReadTx } from '../../db/tx.ts'
import { atLeast, levelBeforeGrants, levelOnRecord, type Principal, type Securable, type Level } from './rules.ts'
import { listGranted } from './store.ts'

/**
 * What the caller may do with each of some records, or other things of one object, as far as `needed` goes: of what they may do
 * that much with anyway, no grant is looked up, so that nothing is read where an object is open to all.
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
    principal.userId as string,
    open.map(({ id }) => id),
  )
  return (one) => levelOnRecord(principal, one, granted.get(one.id) ?? 'none')
}

/** The same of one thing. */
export const levelOn = async (
  tx: ReadTx,
  workspaceId: string,
  principal: Principal,
  one: Securable,
  needed: AccessLevel,
): Promise<Level> => (await levelsOn(tx, workspaceId, principal, [one], needed))(one)
