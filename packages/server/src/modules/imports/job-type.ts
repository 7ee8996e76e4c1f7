import { z } from 'zod'
import { chainShape } from '../../kernel/actor.ts'
import type { JobType } from '../../engine/types.ts'

const payload = z.object({
  import_id: z.string(),
  /** The progress of counting the rows; null once they are counted. */
  counting: z.object({ position: z.int(), line: z.int(), rows: z.int() }).nullable(),
  chain: chainShape.optional(),
})

export type ImportPayload = z.infer<typeof payload>

/** The job that imports a file. */
export const importJobType: JobType<ImportPayload> = { name: 'imports.run', payload }
