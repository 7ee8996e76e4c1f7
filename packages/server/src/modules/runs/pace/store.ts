import type { RowOf } from '../../../db/columns.ts'
import { rowsOf } from '../../../db/rows.ts'
import type { Tx } from '../../../db/tx.ts'

const paces = rowsOf<RowOf<'workflow_pace'>>('workflow_pace', ['begins_at'])

const lockPace = paces.lockByKey('change', 'workspace_id', 'workflow_id')

const minuteMs = 60_000

/**
 * Takes the next place of a workflow whose runs in a minute are limited, and returns when the run may begin: now, as
 * long as the last minute had fewer; later beyond that (the generic cell rate algorithm).
 */
export async function takePlace(
  tx: Tx,
  workspaceId: string,
  workflowId: string,
  perMinute: number,
  now: number,
): Promise<number> {
  const key = { workspace_id: workspaceId, workflow_id: workflowId }
  const inserted = await tx.insertNew('workflow_pace', [{ ...key, begins_at: now }], ['begins_at'])
  const reached = (inserted[0] ?? (await lockPace(tx, key)))?.begins_at ?? now
  const next = Math.max(now, reached) + minuteMs / perMinute
  await tx.updateByKey('workflow_pace', ['workspace_id', 'workflow_id'], [{ ...key, begins_at: next }])
  return Math.ceil(Math.max(now, next - minuteMs))
}

/** Forgets the pace of a workflow that was deleted. */
export const deletePace = paces.remove('workspace_id', 'workflow_id')
