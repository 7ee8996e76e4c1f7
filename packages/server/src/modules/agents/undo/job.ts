import { undoConflictsMax } from '@kontor/contract'
import type { JobContext, JobKind, JobOutcome } from '../../../engine/types.ts'
import { revertBatch } from '../../reverting/index.ts'
import { isCarriedOut, type WorkflowServices } from '../../runs/index.ts'
import { undoKind } from './service.ts'
import { findUndo, updateUndo, type UndoRow } from './store.ts'

type Payload = { readonly run_id: string }

/** How soon a run that was cancelled in the middle of a step is looked at again. */
const carriedOutMs = 200

/** Takes back what a run wrote, the last event first, as the person who asked for it. */
export const undoJob = (services: WorkflowServices): JobKind<Payload> => ({
  ...undoKind,
  async run(context, { run_id: runId }) {
    const { database, workspaceId } = context
    const row = await findUndo(database.reader, workspaceId, runId)
    if (row === undefined || row.undo_state !== 'running') return { state: 'done' }
    if (row.undone_to === null && (await isCarriedOut(database.reader, workspaceId, runId)))
      return { state: 'again', inMs: carriedOutMs }
    const { actor: owner, silent, undone_to: before } = row
    const batch = await revertBatch(services, context, { runId, owner, silent, before })
    if (batch === undefined) return end(context, row, { undo_state: 'failed' })
    return end(context, row, {
      events_seen: row.events_seen + batch.events,
      events_reverted: row.events_reverted + batch.reverted,
      conflicts: [...row.conflicts, ...batch.conflicts].slice(0, undoConflictsMax),
      conflict_count: row.conflict_count + batch.conflicts.length,
      undone_to: batch.position,
      ...(batch.isLast && { undo_state: 'done' as const }),
    })
  },
})

/** Stores how far the run is undone. */
const end = (
  { conclude, workspaceId, clock }: JobContext,
  { run_id }: UndoRow,
  changes: Partial<UndoRow>,
): Promise<JobOutcome<Payload>> =>
  conclude(async (tx): Promise<JobOutcome<Payload>> => {
    const isOver = changes.undo_state !== undefined
    await updateUndo(tx, workspaceId, run_id, { ...changes, ...(isOver && { ended_at: clock.now() }) })
    return isOver ? { state: 'done' } : { state: 'again', inMs: 0 }
  })
