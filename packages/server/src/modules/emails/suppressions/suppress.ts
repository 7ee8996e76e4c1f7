import type { Tx } from '../../../db/tx.ts'
import { newId } from '../../../kernel/ids.ts'
import { insertSuppressions, lockSuppression, updateSuppression, type SuppressionRow } from './store.ts'

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

/** An address that letters do not reach: the person may be written to at another. */
export async function suppressAddresses(
  tx: Tx,
  letter: Letter,
  addresses: readonly string[],
  now: number,
): Promise<void> {
  await insertSuppressions(
    tx,
    addresses.map((address) => rowOf(letter, { address, personId: null, now }, 'bounced')),
  )
}

/**
 * A reader who wants no more letters: neither the address nor the person is written to again (0220). Returns whether
 * that is new.
 */
export async function suppressReader(tx: Tx, letter: Letter, wish: Wish): Promise<boolean> {
  if ((await insertSuppressions(tx, [rowOf(letter, wish, 'unsubscribed')])).size > 0) return true
  const before = await lockSuppression(tx, letter.workspace_id, wish.address)
  if (before === undefined) return false
  const { workspace_id, id, reason, person_id } = before
  if (reason === 'unsubscribed' && (wish.personId === null || wish.personId === person_id)) return false
  await updateSuppression(tx, {
    workspace_id,
    id,
    reason: 'unsubscribed',
    person_id: wish.personId ?? person_id,
    email_id: letter.id,
  })
  return true
}
