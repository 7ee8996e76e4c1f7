import type { RunStatus } from '@kontor/contract'
import type { Tx } from '../../../db/tx.ts'
import type { WorkspaceNow } from '../../../kernel/clock.ts'
import { endRun, isEnded, lockRun } from '../../runs/index.ts'
import { campaignKinds } from '../kind.ts'

/** The end of a run before its last step. */
export type Ending = {
  readonly status: Extract<RunStatus, 'success' | 'failed' | 'cancelled'>
  readonly reason: string
}

/**
 * Ends a run that goes on. A run is locked before the row of its person, here as where a step is stored, so that no two
 * transactions wait for each other.
 */
export async function endEarly(tx: Tx, at: WorkspaceNow, runId: string, { status, reason }: Ending): Promise<void> {
  const run = await lockRun(tx, at.workspaceId, runId)
  if (run === undefined || isEnded(run)) return
  await endRun(tx, { ...at, kinds: campaignKinds }, run, {
    run_status: status,
    exit_plugin: reason,
    current_block: null,
  })
}
