import type { Tx } from '../../../db/tx.ts'
import { newId } from '../../../kernel/ids.ts'
import {
  findSuppressed,
  insertSuppressions,
  lockSuppressions,
  updateSuppressions,
  type SuppressionRow,
} from './store.ts'

type Letter = { readonly workspace_id: string; readonly id: string }

type Wish = { readonly address: string; readonly personId: string | null; readonly now: number }

const rowOf = (
  { workspace_id, id }: Letter,
  { address, personId: person_id, now }: Wish,
  reason: SuppressionRow['reason'],
): SuppressionRow => ({
  workspace_id,
  id: newId(now),
  address,
  person_id,
  reason,
  note: null,
  email_id: id,
  created_at: now,
  created_by: null,
})

/** Suppresses addresses that e-mails do not reach, where nothing else does: the person may be written to at another. */
export async function suppressAddresses(
  tx: Tx,
  letter: Letter,
  addresses: readonly string[],
  now: number,
): Promise<void> {
  const before = await findSuppressed(tx, letter.workspace_id, { addresses, people: [] })
  const others = addresses.filter((address) => !before.addresses.has(address))
  await insertSuppressions(
    tx,
    others.map((address) => rowOf(letter, { address, personId: null, now }, 'bounced')),
  )
}

/**
 * Suppresses a reader who unsubscribed: neither the address nor the person is written to again (0220), whoever
 * suppressed the address before. Returns whether that is new.
 */
export async function suppressReader(tx: Tx, letter: Letter, wish: Wish): Promise<boolean> {
  const { workspace_id } = letter
  const locked = await lockSuppressions(tx, workspace_id, wish.address)
  if (locked.length === 0) {
    if ((await insertSuppressions(tx, [rowOf(letter, wish, 'unsubscribed')])).size > 0) return true
    // Another transaction did the same in between.
    locked.push(...(await lockSuppressions(tx, workspace_id, wish.address)))
  }
  const changed = locked.filter(
    ({ reason, person_id }) => reason !== 'unsubscribed' || (wish.personId !== null && wish.personId !== person_id),
  )
  await updateSuppressions(
    tx,
    changed.map(({ id, person_id }) => ({
      workspace_id,
      id,
      reason: 'unsubscribed',
      person_id: wish.personId ?? person_id,
      email_id: letter.id,
    })),
  )
  return changed.length > 0
}
