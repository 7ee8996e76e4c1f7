import { z } from 'zod'
import type { RunStatus, WorkflowStop } from '@kontor/contract'
import type { Tx } from '../../db/tx.ts'
import { enqueue } from '../../engine/store.ts'
import type { JobKind, JobType } from '../../engine/types.ts'
import type { Owner } from '../identity/acting/index.ts'
import { lockWorkflow } from '../definitions/index.ts'
import { carryOnRuns, updateRun } from './changes.ts'
import type { RunsNow } from './kinds.ts'
import type { WorkflowServices } from './services.ts'
import { lockHeldRuns, type SlimRun } from './store.ts'

const payload = z.object({ workflow_id: z.string() })
type Payload = z.infer<typeof payload>

const releasing: JobType<Payload> = { name: 'workflows.release', payload }

/** Runs released in one transaction. */
const batchMax = 100

/** Holds a run that is locked, until somebody enables its workflow; its job ends. */
export const markHeld = (tx: Tx, at: RunsNow, run: SlimRun, reason: WorkflowStop): Promise<void> =>
  updateRun(tx, at, run, { run_status: 'held', held_reason: reason, resume_at: null, updated_at: at.now })

/** Lets the held runs of a workflow go on, as the one who has enabled it. */
export const enqueueRelease = (tx: Tx, workspaceId: string, workflowId: string, now: number): Promise<void> =>
  enqueue(tx, { workspaceId, kind: releasing, payload: { workflow_id: workflowId }, now, key: workflowId })

export const releaseJob = ({ kinds }: Pick<WorkflowServices, 'kinds'>): JobKind<Payload> => ({
  ...releasing,
  run: ({ workspaceId, clock, conclude }, { workflow_id }) =>
    conclude(async (tx) => {
      const workflow = await lockWorkflow(tx, workspaceId, workflow_id)
      if (workflow?.enabled !== true) return { state: 'done' }
      const at = { workspaceId, now: clock.now(), kinds }
      const runs = await lockHeldRuns(tx, workspaceId, workflow_id, batchMax)
      for (const run of runs) await updateRun(tx, at, run, continuedAs(run, workflow.actor, at.now))
      await carryOnRuns(
        tx,
        at,
        runs.map(({ id }) => id),
      )
      return runs.length < batchMax ? { state: 'done' } : { state: 'again', inMs: 0 }
    }),
})

/** A held run as it goes on, as somebody: it waits for what it has waited for. */
export const continuedAs = ({ block_progress: { wait, failures } }: SlimRun, acting: Owner, now: number) => {
  const run_status: RunStatus = wait === undefined ? (failures > 0 ? 'retrying' : 'pending') : 'waiting'
  return {
    acting,
    acting_id: acting.id,
    run_status,
    held_reason: null,
    resume_at: wait?.until ?? null,
    updated_at: now,
  }
}
