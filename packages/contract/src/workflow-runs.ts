import { z } from 'zod'
import { objectName } from './record.ts'
import { recordReference } from './record-reference.ts'
import { silentQuery } from './shared.ts'

const testRun = z.boolean().optional().meta({
  description: 'True for a test run: each block only shows the effect that it would have. In the query or the body.',
})

/** The input of a manual run; `object` and `record_id` go together. */
export const newRun = z.strictObject({
  object: objectName.optional(),
  record_id: recordReference.optional(),
  data: z
    .unknown()
    .optional()
    .meta({ description: 'Anything, as `{{trigger.state.event.data.…}}`.', example: { amount: 5000 } }),
  dry_run: testRun,
})

/** The query of what runs one. */
export const newRunQuery = z.strictObject({ ...silentQuery, dry_run: testRun })
