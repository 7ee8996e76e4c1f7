import { z } from 'zod'
import type { JobType } from '../../engine/types.ts'

const payload = z.object({ run_id: z.string() })

export type RunPayload = z.infer<typeof payload>

/** The job that carries on with a run; its key is the id of the run. */
export const runKind: JobType<RunPayload> = { name: 'workflows.run', payload }
