import { z } from 'zod'
import type { Tx } from '../../../db/tx.ts'
import { enqueue } from '../../../engine/store.ts'
import type { JobKind, JobType } from '../../../engine/types.ts'
import { carryOnRuns } from '../../runs/index.ts'
import { listActive } from '../enrolments/store.ts'

const payload = z.object({
  workflow_id: z.string(),
  after: z.object({ created_at: z.number(), person_id: z.string() }),
})

type Payload = z.infer<typeof payload>

const reawakening: JobType<Payload> = { name: 'workflows.reawaken', payload }

/** Runs woken in one transaction. */
const batchMax = 250

const beginning = { created_at: 0, person_id: '00000000-0000-0000-0000-000000000000' }

/** Lets the runs of a sequence go on that are due: those that became so while it was paused, and those held back. */
export const enqueueReawakening = (tx: Tx, workspaceId: string, workflowId: string, now: number): Promise<void> =>
  enqueue(tx, { workspaceId, kind: reawakening, payload: { workflow_id: workflowId, after: beginning }, now })

export const reawakenJob: JobKind<Payload> = {
  ...reawakening,
  run: ({ workspaceId, clock, conclude }, { workflow_id, after }) =>
    conclude(async (tx) => {
      const active = await listActive(tx, workspaceId, workflow_id, after, batchMax)
      const now = clock.now()
      const due = active.filter(({ resume_at }) => resume_at === null || resume_at <= now)
      await carryOnRuns(
        tx,
        { workspaceId, now },
        due.map(({ run_id }) => run_id),
      )
      const last = active.at(-1)
      return last === undefined || active.length < batchMax
        ? { state: 'done' }
        : { state: 'again', inMs: 0, payload: { workflow_id, after: last } }
    }),
}
