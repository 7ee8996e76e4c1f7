import { actorId, type Actor } from '../kernel/actor.ts'
import type { NamedEvent } from '../kernel/events.ts'
import type { Tx } from './tx.ts'

type Source = { readonly workspaceId: string; readonly actor: Actor; readonly silent: boolean; readonly now: number }

/** Writes events into the transaction of the change. Their `sequence` is given out after the commit, in order. */
export const writeOutbox = (tx: Tx, { workspaceId, actor, silent, now }: Source, events: readonly NamedEvent[]): Promise<void> => {
  const by = { id: actorId(actor), kind: actor.kind }
  return tx.insert(
    'outbox',
    events.map(({ id, type, object, recordId, payload }) => ({
      workspace_id: workspaceId,
      id,
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
