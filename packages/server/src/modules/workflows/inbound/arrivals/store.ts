import { arrivalKeptHours } from '@kontor/contract'
import { param, statement } from '../../../../db/statement.ts'
import type { Tx } from '../../../../db/tx.ts'
import { expiredRows } from '../../../../engine/expired-rows/store.ts'

const keptMs = arrivalKeptHours * 3_600_000

type Arrival = {
  readonly workspace_id: string
  readonly workflow_id: string
  /** The id that its sender gave it, hashed. */
  readonly sender_key: string
}

/**
 * Notes a request by the id that its sender gave it; false if it has come before and is still known. One statement:
 * the upkeep may delete one that is no longer known at any moment.
 */
export async function noteArrival(tx: Tx, arrival: Arrival, now: number): Promise<boolean> {
  const noted = await tx.run(note, { ...arrival, created_at: now, known_since: now - keptMs })
  return noted > 0
}

const note = statement<Arrival & { created_at: number; known_since: number }, never>(({ knex }) =>
  knex('workflow_arrival')
    .insert({
      workspace_id: param('workspace_id'),
      workflow_id: param('workflow_id'),
      sender_key: param('sender_key'),
      created_at: param('created_at'),
    })
    .onConflict(['workspace_id', 'workflow_id', 'sender_key'])
    .merge(['created_at'])
    .where('workflow_arrival.created_at', '<', param('known_since')),
)

/** Forgets requests whose senders no longer repeat them. */
export const arrivalUpkeep = expiredRows('workflow_arrival', {
  key: ['workspace_id', 'workflow_id', 'sender_key'],
  expired: (rows, now) => rows.where('created_at', '<', now - keptMs),
  oldestBy: 'created_at',
  batchMax: 500,
})

/** Removes what is known of the senders of a workflow. */
export const removeArrivals = (tx: Tx, workspaceId: string, workflowId: string): Promise<void> =>
  tx.deleteByKey('workflow_arrival', [{ workspace_id: workspaceId, workflow_id: workflowId }])
