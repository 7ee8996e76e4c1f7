import { z } from 'zod'
import type { Tx } from '../../db/tx.ts'
import { enqueue } from '../../engine/store.ts'
import type { JobKind, JobType } from '../../engine/types.ts'
import { forgetCounts, listTotals } from '../counters/index.ts'
import { engagementCounters } from '../enrolments/index.ts'
import { removeRecipients } from '../enrolments/index.ts'
import { recipientsCounter } from '../enrolments/index.ts'
import { runsCounter } from './counter.ts'
import { removeRuns, removeVersions } from './removal/store.ts'

const payload = z.object({ workflow_id: z.string() })
type Payload = z.infer<typeof payload>

const removal: JobType<Payload> = { name: 'workflows.remove', payload }

/** Runs removed in one transaction, with their steps. */
const batchMax = 200

/** Removes the versions and runs of a workflow that was deleted, batch by batch. */
export const enqueueRemoval = (tx: Tx, workspaceId: string, workflowId: string, now: number): Promise<void> =>
  enqueue(tx, { workspaceId, kind: removal, payload: { workflow_id: workflowId }, now })

export const removalJob: JobKind<Payload> = {
  ...removal,
  run: ({ workspaceId, conclude }, { workflow_id }) =>
    conclude(async (tx) => {
      const removed =
        (await removeRuns(tx, workspaceId, workflow_id, batchMax)) +
        (await removeRecipients(tx, workspaceId, workflow_id, batchMax))
      if (removed > 0) return { state: 'again', inMs: 0 }
      await removeVersions(tx, workspaceId, workflow_id)
      const [engagement, recipients] = await Promise.all([
        listTotals(tx, workspaceId, engagementCounters(workflow_id)),
        listTotals(tx, workspaceId, recipientsCounter(workflow_id)),
      ])
      const counters = [...engagement, ...recipients].map(({ object }) => object)
      await forgetCounts(tx, workspaceId, [runsCounter(workflow_id), ...counters])
      return { state: 'done' }
    }),
}
