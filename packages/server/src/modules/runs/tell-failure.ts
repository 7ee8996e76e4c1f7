import type { Tx } from '../../db/tx.ts'
import { actorOf } from '../identity/acting/index.ts'
import type { WorkflowRow } from '../definitions/index.ts'
import type { WorkflowServices } from './services.ts'
import type { RunError, RunRow } from './store.ts'

type Failed = {
  readonly workflow: Pick<WorkflowRow, 'id' | 'actor'>
  readonly run: Pick<RunRow, 'id' | 'dry_run' | 'depth'>
  readonly failure: Pick<RunError, 'code' | 'block_id'>
}

/**
 * Publishes that a run has failed for good, as done by the workflow for its owner; of a test run, nothing. The words of
 * a failure may repeat what the run has read, so they are for those who may see the run.
 */
export async function tellFailure(
  tx: Tx,
  { writeEvents }: Pick<WorkflowServices, 'writeEvents'>,
  { workspaceId, now }: { readonly workspaceId: string; readonly now: number },
  { workflow, run, failure: { code, block_id } }: Failed,
): Promise<void> {
  if (run.dry_run) return
  const cause = { workflowId: workflow.id, runId: run.id, depth: run.depth }
  const actor = actorOf(workflow.actor, workspaceId, cause)
  await writeEvents(tx, { workspaceId, actor, silent: false, now }, [
    {
      type: 'workflow.run_failed',
      object: 'workflow',
      recordId: workflow.id,
      payload: { run_id: run.id, block_id, code },
    },
  ])
}
