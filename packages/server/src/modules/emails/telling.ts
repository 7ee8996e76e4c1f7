import type { Tx } from '../../db/tx.ts'
import type { Actor } from '../../kernel/actor.ts'
import type { DomainEvent } from '../../kernel/events.ts'
import type { Engagement, EngagementKind, EngagementListener } from './engagement.ts'
import type { EmailHead } from './store.ts'
import type { Runtime } from '../../kernel/invoke/runtime.ts'

/** The services that publish events of a letter. */
export type TellingServices = {
  readonly writeEvents: Runtime['writeEvents']
  readonly onEngagement: EngagementListener
}

type EngagementNote = {
  readonly kind: EngagementKind
  readonly bounce?: Engagement['bounce']
  readonly now: number
  /** The actor; for an event from outside, the sender of the letter. */
  readonly actor: Actor
  /** True if its person is there, whom the caller has locked. */
  readonly hasPerson: boolean
  /** The event of the person for the log; none where it has been told before. */
  readonly event: ((recordId: string) => DomainEvent) | undefined
}

/** Returns the payload that every event of a letter has. */
export const payloadOf = ({ id, workflow_id, run_id }: Pick<EmailHead, 'id' | 'workflow_id' | 'run_id'>) => ({
  email_id: id,
  workflow_id,
  run_id,
})

/** Tells of what has happened with a letter, in the transaction that stores it: the log, and who listens. */
export async function tell(
  tx: Tx,
  { writeEvents, onEngagement }: TellingServices,
  { workspace_id: workspaceId, id, run_id, workflow_id, person_id }: Omit<EmailHead, 'actor'>,
  { kind, bounce, now, actor, hasPerson, event }: EngagementNote,
): Promise<void> {
  if (event !== undefined && person_id !== null && hasPerson)
    await writeEvents(tx, { workspaceId, actor, silent: false, now }, [event(person_id)])
  await onEngagement(tx, workspaceId, {
    kind,
    bounce,
    emailId: id,
    runId: run_id,
    workflowId: workflow_id,
    personId: person_id,
    at: now,
  })
}
