import type { Tx } from '../../db/tx.ts'
import type { Actor } from '../../kernel/actor.ts'
import { acceptEmail, type AcceptedState, type EmailHead } from './store.ts'
import { payloadOf, tell, type TellingServices } from './telling.ts'

type Acceptance = {
  readonly state: AcceptedState
  readonly now: number
  readonly actor: Actor
  readonly hasPerson: boolean
}

/**
 * Stores that a letter was accepted, and tells of it; its person is locked. Another worker may have sent it meanwhile,
 * when this one was taken for dead.
 */
export async function storeAcceptance(
  tx: Tx,
  services: TellingServices,
  letter: EmailHead,
  { state, now, actor, hasPerson }: Acceptance,
): Promise<void> {
  const { workspace_id, id } = letter
  if (!(await acceptEmail(tx, { workspace_id, id, email_state: state, now }))) return
  const payload = payloadOf(letter)
  await tell(tx, services, letter, {
    kind: 'send',
    now,
    actor,
    hasPerson,
    event: (recordId) => ({ type: 'email.sent', object: 'person', recordId, payload }),
  })
}
