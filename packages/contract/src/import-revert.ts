import { z } from 'zod'
import { undoResult, undoStates } from './agent-undo.ts'
import { id } from './shared.ts'

export const importRevert = z
  .object({
    type: z.literal('import-revert'),
    id: id.meta({ description: 'The id of the import.' }),
    attributes: z.object({
      import_id: id,
      state: z.enum(undoStates),
      changes: z.int().meta({ description: 'Changes of the import that have been processed.' }),
      ...undoResult,
    }),
  })
  .meta({ id: 'ImportRevert' })

export type ImportRevertResource = z.infer<typeof importRevert>
