import { isDeepStrictEqual } from 'node:util'
import type { WorkflowStop } from '@kontor/contract'
import type { Tx } from '../../../db/tx.ts'
import type { WorkspaceNow } from '../../../kernel/clock.ts'
import { listAdminIds } from '../../identity/users/index.ts'
import { closeRun, isEnded } from './changes.ts'
import { lockRun, type RunRow } from './store.ts'
import type { WorkflowServices } from '../services.ts'
import { actorOf } from '../definition/owner.ts'
import { lockWorkflow, updateWorkflow, type WorkflowRow } from '../definition/store.ts'

const details: Readonly<Record<WorkflowStop, string>> = {
  owner_left: 'Whom the workflow acts for is no longer a member of the workspace.',
  credential_ended:
    'The key was revoked or has expired, or the app was disconnected, with which the workflow was enabled.',
  key_revoked: 'The key that the workflow acts as was revoked or has expired.',
  schema_changed: 'A field, an option, an object or a list that the workflow names was removed or changed.',
  access_ended: 'The app that changed the workflow may no longer act for this person.',
}

/** A workflow that can no longer run, and why. */
export type Stop = {
  readonly workflow: Pick<WorkflowRow, 'id' | 'actor'>
  readonly stopped: WorkflowStop
  /** A run that cannot go on for the same reason, where this is the end of its job. */
  readonly run?: RunRow
}

/** Disables a workflow that can no longer run, and says why. */
export async function stopWorkflow(
  tx: Tx,
  { writeEvents }: Pick<WorkflowServices, 'writeEvents'>,
  { workspaceId, now }: WorkspaceNow,
  { workflow, stopped, run }: Stop,
): Promise<void> {
  const row = await lockWorkflow(tx, workspaceId, workflow.id)
  const found = run && (await lockRun(tx, workspaceId, run.id))
  if (found !== undefined && !isEnded(found))
    await closeRun(tx, { workspaceId, now }, found, {
      run_status: 'failed',
      failure: { code: stopped, detail: details[stopped], block_id: found.current_block },
    })
  // Another may have enabled it since, as whom it runs now.
  if (row === undefined || !row.enabled || !isDeepStrictEqual(row.actor, workflow.actor)) return
  await updateWorkflow(tx, workspaceId, row.id, {
    enabled: false,
    stopped_reason: stopped,
    version: row.version + 1,
    updated_at: now,
  })
  const actor = actorOf(row.actor, workspaceId, undefined)
  const named = stopped === 'schema_changed' ? [] : await listAdminIds(tx, workspaceId)
  await writeEvents(tx, { workspaceId, actor, silent: false, now }, [
    { type: 'workflow.stopped', object: 'workflow', recordId: row.id, payload: { reason: stopped }, named },
  ])
}
