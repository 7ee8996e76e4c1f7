import { param, statement } from '../../../db/statement.ts'
import type { Tx } from '../../../db/tx.ts'

type Key = { readonly workspace_id: string; readonly workflow_id: string }

const held = statement<Key, { begins_at: number }>(({ knex, dialect }) =>
  dialect.locked(
    knex('workflow_pace')
      .select('begins_at')
      .where({ workspace_id: param('workspace_id'), workflow_id: param('workflow_id') }),
    'change',
  ),
)

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
  const reached = (inserted[0] ?? (await tx.first(held, key)))?.begins_at ?? now
  const next = Math.max(now, reached) + minuteMs / perMinute
  await tx.updateByKey('workflow_pace', ['workspace_id', 'workflow_id'], [{ ...key, begins_at: next }])
  return Math.ceil(Math.max(now, next - minuteMs))
}

/** Forgets the pace of a workflow that was deleted. */
export const deletePace = (tx: Tx, key: Key): Promise<void> => tx.deleteByKey('workflow_pace', [key])
