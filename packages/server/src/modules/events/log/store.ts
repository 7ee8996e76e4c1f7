import { param, statement } from '../../../db/statement.ts'
import type { Tx } from '../../../db/tx.ts'
import { workspacesOf } from '../../../db/workspaces.ts'
import type { WorkspaceUpkeep } from '../../../engine/each-workspace.ts'

/** Retention of events: how long they can be read again. */
const keptMs = 30 * 24 * 3_600_000

/** Events deleted in one batch: some 2 ms of the one writer of SQLite. */
const batchMax = 200

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
 * Prunes the oldest events of a workspace, if they have expired; returns whether there may be more. The remaining
 * events have no gaps.
 */
async function trim(tx: Tx, workspaceId: string, now: number): Promise<boolean> {
  const first = await tx.all(listFirst, { workspace_id: workspaceId })
  const kept = first.findIndex(({ created_at }) => created_at >= now - keptMs)
  const last = kept === -1 ? first.at(-1) : first[kept - 1]
  if (last === undefined) return false
  await tx.run(deleteUntil, { workspace_id: workspaceId, sequence: last.sequence })
  return kept === -1
}

/** Prunes events, in each workspace whose oldest one has expired. */
export const eventUpkeep: WorkspaceUpkeep = {
  due: (tx, now) =>
    workspacesOf(tx, (sql, only) => {
      const first = sql
        .knex('event')
        .select('created_at')
        .where('event.workspace_id', sql.knex.ref('event_head.workspace_id'))
        .orderBy('sequence')
        .limit(1)
      if (only !== undefined) first.where(sql.dialect.oneOf('event.workspace_id', only))
      return sql.knex('event_head').where(sql`${first} < ${now - keptMs}`)
    }),
  batch: trim,
}
