import { z } from 'zod'
import { id, timestamp } from './shared.ts'

export const undoStates = ['running', 'done', 'failed'] as const

export type UndoState = (typeof undoStates)[number]

/** Why something that a run wrote was left as it is. */
export const undoConflictReasons = ['changed', 'gone', 'refused', 'not_undoable'] as const

/** Conflicts that an answer lists. */
export const undoConflictsMax = 500

export const undoConflict = z
  .object({
    object: z.string().meta({ example: 'task' }),
    record_id: id,
    activity_type: z.string().meta({ description: 'The change that was not reverted.', example: 'svc:update' }),
    field: z
      .string()
      .nullable()
      .meta({ description: 'The field that was not reverted, if the conflict concerns a field.' }),
    reason: z.enum(undoConflictReasons).meta({
      description:
        '`changed`: the value was changed later. `gone`: the record is deleted, or the caller may not see it. ' +
        '`refused`: the caller may not make the change. `not_undoable`: the change cannot be reverted.',
    }),
    detail: z.string(),
  })
  .meta({ id: 'AgentUndoConflict' })

export type UndoConflict = z.infer<typeof undoConflict>

/** The result of undoing a run or of reverting an import, but for the changes that have been processed. */
export const undoResult = {
  reverted: z.int().meta({ description: 'Number of changes that were reverted.' }),
  conflict_count: z.int(),
  conflicts: z.array(undoConflict).meta({ description: `Changes that were not reverted, up to ${undoConflictsMax}.` }),
  _created_at: timestamp,
  _created_by: id,
  ended_at: timestamp.nullable(),
} as const

export const agentUndo = z
  .object({
    type: z.literal('agent-undo'),
    id: id.meta({ description: 'The id of the run.' }),
    attributes: z.object({
      run_id: id,
      state: z.enum(undoStates),
      events: z.int().meta({ description: 'Changes of the run that have been processed.' }),
      ...undoResult,
    }),
  })
  .meta({ id: 'AgentUndo' })

export type AgentUndoResource = z.infer<typeof agentUndo>
