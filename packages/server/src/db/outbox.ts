import { actorId, type Actor } from '../kernel/actor.ts'
import type { DomainEvent } from '../kernel/events.ts'
import { newId } from '../kernel/ids.ts'
import type { Tx } from './tx.ts'

type Source = { readonly workspaceId: string; readonly actor: Actor; readonly silent: boolean; readonly now: number }

/** Writes events into the transaction of the change. Their `sequence` is given out after the commit, in order. */
export const writeOutbox = (tx: Tx, { workspaceId, actor, silent, now }: Source, events: readonly DomainEvent[]): Promise<void> => {
  const by = { id: actorId(actor), kind: actor.kind }
  return tx.insert(
    'outbox',
    events.map(({ type, object, recordId, payload }) => ({
      workspace_id: workspaceId,
      id: newId(now),
      type,
      object,
      record_id: recordId,
      actor: by,
      silent,
      payload,
      created_at: now,
    })),
  )
}
