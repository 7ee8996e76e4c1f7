import { z } from 'zod'
import { undoConflict, undoConflictsMax, undoStates } from './agent-undo.ts'
import { id, timestamp } from './shared.ts'

export const importRevert = z
  .object({
    type: z.literal('import-revert'),
    id: id.meta({ description: 'The id of the import.' }),
    attributes: z.object({
      import_id: id,
      state: z.enum(undoStates),
      changes: z.int().meta({ description: 'Changes of the import that have been processed.' }),
      reverted: z.int().meta({ description: 'Those of them that are as they were before.' }),
      conflict_count: z.int(),
      conflicts: z
        .array(undoConflict)
        .meta({ description: `Changes that were not reverted, up to ${undoConflictsMax}.` }),
      _created_at: timestamp,
      _created_by: id,
      ended_at: timestamp.nullable(),
    }),
  })
  .meta({ id: 'ImportRevert' })

export type ImportRevertResource = z.infer<typeof importRevert>
