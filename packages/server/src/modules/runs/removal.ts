import { z } from 'zod'
import type { Tx } from '../../db/tx.ts'
import { enqueue } from '../../engine/store.ts'
import type { JobKind, JobType } from '../../engine/types.ts'
import { forgetCounts, listTotals } from '../counters/index.ts'
import { runsCounter } from './store.ts'
import { deleteVersions } from '../definitions/index.ts'
import { deletePace } from './pace/store.ts'
import { removeRuns } from './removal/store.ts'
import type { WorkflowServices } from './services.ts'

const payload = z.object({ workflow_id: z.string() })
type Payload = z.infer<typeof payload>

const removal: JobType<Payload> = { name: 'workflows.remove', payload }

/** Runs removed in one transaction, with their steps. */
const batchMax = 200

/** Removes the versions and runs of a workflow that was deleted, batch by batch. */
export const enqueueRemoval = (tx: Tx, workspaceId: string, workflowId: string, now: number): Promise<void> =>
  enqueue(tx, { workspaceId, kind: removal, payload: { workflow_id: workflowId }, now })

export const removalJob = ({ kinds }: Pick<WorkflowServices, 'kinds'>): JobKind<Payload> => ({
  ...removal,
  run: ({ workspaceId, conclude }, { workflow_id }) =>
    conclude(async (tx) => {
      let removed = await removeRuns(tx, workspaceId, kinds, { workflowId: workflow_id, max: batchMax })
      for (const { dependent } of kinds)
        removed += (await dependent?.removeSome?.(tx, workspaceId, workflow_id, batchMax)) ?? 0
      if (removed > 0) return { state: 'again', inMs: 0 }
      await Promise.all([deleteVersions(tx, workspaceId, workflow_id), deletePace(tx, workspaceId, workflow_id)])
      const counters = [runsCounter(workflow_id)]
      for (const { dependent } of kinds)
        for (const name of (await dependent?.removeLast?.(tx, workspaceId, workflow_id)) ?? [])
          counters.push(...(await listTotals(tx, workspaceId, name)).map(({ object }) => object))
      await forgetCounts(tx, workspaceId, counters)
      return { state: 'done' }
    }),
})
