import { isDeepStrictEqual } from 'node:util'
import type { WorkflowStop } from '@kontor/contract'
import type { Tx } from '../../db/tx.ts'
import type { JobOutcome } from '../../engine/types.ts'
import type { WorkspaceNow } from '../../kernel/clock.ts'
import { listAdminIds } from '../identity/users/index.ts'
import { isEnded, updateRun } from './changes.ts'
import { continuedAs, markHeld } from './held.ts'
import type { RunPayload } from './kind.ts'
import { lockRun, type RunRow } from './store.ts'
import type { WorkflowServices } from './services.ts'
import { actorOf } from '../identity/acting/index.ts'
import { lockWorkflow, updateWorkflow, type WorkflowRow } from '../definitions/index.ts'

/** A workflow that can no longer run, and why. */
export type Stop = {
  readonly workflow: Pick<WorkflowRow, 'id' | 'actor'>
  readonly stopped: WorkflowStop
  /** A run that cannot go on for the same reason, where this is the end of its job. */
  readonly run?: RunRow
}

/**
 * Disables a workflow that can no longer run, and says why. A run that was stopped by the same is held; where somebody
 * else has enabled the workflow by now, it goes on as them, and true is returned.
 */
export async function stopWorkflow(
  tx: Tx,
  { writeEvents, kinds }: Pick<WorkflowServices, 'writeEvents' | 'kinds'>,
  { workspaceId, now }: WorkspaceNow,
  { workflow, stopped, run }: Stop,
): Promise<boolean> {
  const row = await lockWorkflow(tx, workspaceId, workflow.id)
  const found = run && (await lockRun(tx, workspaceId, run.id))
  const isTakenOver = row?.enabled === true && !isDeepStrictEqual(row.actor, workflow.actor)
  if (found !== undefined && !isEnded(found)) {
    if (isTakenOver) await updateRun(tx, { workspaceId, now, kinds }, found, continuedAs(found, row.actor, now))
    else await markHeld(tx, { workspaceId, now, kinds }, found, stopped)
  }
  if (row === undefined || !row.enabled || isTakenOver) return isTakenOver
  await updateWorkflow(tx, workspaceId, row.id, {
    enabled: false,
    stopped_reason: stopped,
    version: row.version + 1,
    updated_at: now,
  })
  const actor = { ...actorOf(row.actor, workspaceId, undefined), workflow: row.id }
  const named = stopped === 'schema_changed' ? [] : await listAdminIds(tx, workspaceId)
  await writeEvents(tx, { workspaceId, actor, silent: false, now }, [
    { type: 'workflow.stopped', object: 'workflow', recordId: row.id, payload: { reason: stopped }, named },
  ])
  return false
}

/** Stops the workflow of a run that cannot go on; returns the outcome of the job that carried the run on. */
export async function concludeStopped(...given: Parameters<typeof stopWorkflow>): Promise<JobOutcome<RunPayload>> {
  return (await stopWorkflow(...given)) ? { state: 'again', inMs: 0 } : { state: 'done' }
}
