import { param, statement } from '../../../db/statement.ts'
import type { Tx } from '../../../db/tx.ts'

/** Retention of events: how long they can be read again. */
const keptMs = 30 * 24 * 3_600_000

/** Events deleted in one batch: some 2 ms of the one writer of SQLite. */
const batchMax = 200

const findExpired = statement<{ before: number }, { workspace_id: string }>(({ knex }) =>
  knex.raw(
    `select workspace_id from event_head
     where (select created_at from event where event.workspace_id = event_head.workspace_id order by sequence limit 1) < ? limit 1`,
    [param('before')],
  ),
)

const listFirst = statement<{ workspace_id: string }, { sequence: number; created_at: number }>(({ knex }) =>
  knex('event')
    .select('sequence', 'created_at')
    .where({ workspace_id: param('workspace_id') })
    .orderBy('sequence')
    .limit(batchMax),
)

const deleteUntil = statement<{ workspace_id: string; sequence: number }, never>(({ knex }) =>
  knex('event')
    .where({ workspace_id: param('workspace_id') })
    .where('sequence', '<=', param('sequence'))
    .delete(),
)

/**
 * Prunes the oldest events of a workspace that has expired ones; returns whether there may be more. The remaining
 * events have no gaps.
 */
export async function trimEvents(tx: Tx, now: number): Promise<boolean> {
  const before = now - keptMs
  const expired = await tx.first(findExpired, { before })
  if (expired === undefined) return false
  const first = await tx.all(listFirst, expired)
  const kept = first.findIndex(({ created_at }) => created_at >= before)
  const last = first.at(kept === -1 ? -1 : kept - 1)
  if (last === undefined) return false
  await tx.run(deleteUntil, { ...expired, sequence: last.sequence })
  return true
}
