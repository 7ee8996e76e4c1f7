import type { Tx } from '../../db/tx.ts'
import type { Actor } from '../../kernel/actor.ts'
import { updateEmail, type EmailHead, type EmailRow } from './store.ts'
import { payloadOf, tell, type TellingServices } from './telling.ts'

type Acceptance = {
  readonly state: Extract<EmailRow['email_state'], 'sent' | 'kept'>
  readonly now: number
  readonly actor: Actor
}

/** Stores that a letter was accepted, and tells of it. It is locked, as its person is. */
export async function storeAcceptance(
  tx: Tx,
  services: TellingServices,
  letter: EmailHead,
  { state, now, actor }: Acceptance,
): Promise<void> {
  const { workspace_id, id } = letter
  await updateEmail(tx, { workspace_id, id, email_state: state, failure_detail: null, sent_at: now, updated_at: now })
  const payload = payloadOf(letter)
  await tell(tx, services, letter, {
    kind: 'send',
    now,
    actor,
    event: (recordId) => ({ type: 'email.sent', object: 'person', recordId, payload }),
  })
}
