import { z } from 'zod'
import { enqueue } from '../../engine/store.ts'
import type { JobKind, JobType } from '../../engine/types.ts'
import type { WriteContext } from '../../kernel/implement.ts'
import { isRecord } from '../../lib/guards.ts'
import { actorOf, ownerOf, type Owner } from '../identity/acting/index.ts'
import type { Workflow } from '../definitions/index.ts'
import type { WorkflowServices } from './services.ts'
import { endRun } from './changes.ts'
import { lockOpenRuns, newestOpenRun } from './store.ts'

const payload = z.object({
  workflow_id: z.string(),
  until: z.number(),
  /** The actor who ends them. */
  by: z.custom<Owner>(isRecord).optional(),
})
type Payload = z.infer<typeof payload>

const cancelling: JobType<Payload> = { name: 'workflows.cancel', payload }

/** Runs ended in one transaction. */
const batchMax = 100

/** Ends the runs of a workflow that have begun so far, batch by batch; those that begin later go on. */
export async function cancelAll(ctx: WriteContext, { row }: Workflow): Promise<void> {
  if (row.enabled)
    throw ctx.fail('invalid_parameter', {
      detail: 'Runs can only be cancelled together with disabling the workflow: send `enabled: false` too.',
      source: { parameter: 'runs' },
    })
  const now = ctx.clockNow
  const { workspaceId } = ctx.workspace
  // A node whose clock is ahead may have begun some of them.
  const until = Math.max(now, await newestOpenRun(ctx.tx, workspaceId, row.id))
  await enqueue(ctx.tx, {
    workspaceId,
    kind: cancelling,
    payload: { workflow_id: row.id, until, by: ownerOf(ctx.actor, ctx.workspace.role) },
    now,
  })
}

export const cancelAllJob = ({
  writeEvents,
  kinds,
}: Pick<WorkflowServices, 'writeEvents' | 'kinds'>): JobKind<Payload> => ({
  ...cancelling,
  run: ({ workspaceId, clock, conclude }, { workflow_id, until, by }) =>
    conclude(async (tx) => {
      const runs = await lockOpenRuns(tx, workspaceId, { workflowId: workflow_id, until, max: batchMax })
      const at = { workspaceId, now: clock.now() }
      for (const run of runs) await endRun(tx, { ...at, kinds }, run, { run_status: 'cancelled' })
      if (by !== undefined && runs.length > 0)
        await writeEvents(
          tx,
          { ...at, actor: actorOf(by, workspaceId, undefined), silent: false },
          runs.map(({ id }) => ({
            type: 'workflow.run_cancelled',
            object: 'workflow',
            recordId: workflow_id,
            payload: { run_id: id },
          })),
        )
      return runs.length < batchMax ? { state: 'done' } : { state: 'again', inMs: 0 }
    }),
})
