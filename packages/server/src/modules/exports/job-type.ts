import { z } from 'zod'
import type { JobType } from '../../engine/types.ts'

const payload = z.object({ export_id: z.string() })

export type ExportPayload = z.infer<typeof payload>

/** The job that writes the file of an export. */
export const exportJobType: JobType<ExportPayload> = { name: 'exports.run', payload }
