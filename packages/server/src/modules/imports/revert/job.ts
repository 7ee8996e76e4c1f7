import { undoConflictsMax } from '@kontor/contract'
import type { JobContext, JobKind, JobOutcome } from '../../../engine/types.ts'
import { revertBatch, type RevertServices } from '../../reverting/index.ts'
import { revertJobType } from './service.ts'
import { findRevert, updateRevert, type RevertRow } from './store.ts'

type Payload = { readonly import_id: string }

/** Reverts an import, the last change first, as the one who requested it. */
export const revertJob = (services: RevertServices): JobKind<Payload> => ({
  ...revertJobType,
  async run(context, { import_id: importId }) {
    const row = await findRevert(context.database.reader, context.workspaceId, importId)
    if (row === undefined || row.undo_state !== 'running') return { state: 'done' }
    const { actor: owner, silent, undone_to: before } = row
    const batch = await revertBatch(services, context, { runId: importId, owner, silent, before })
    if (batch === undefined) return store(context, row, { undo_state: 'failed' })
    return store(context, row, {
      events_seen: row.events_seen + batch.events,
      events_reverted: row.events_reverted + batch.reverted,
      conflicts: [...row.conflicts, ...batch.conflicts].slice(0, undoConflictsMax),
      conflict_count: row.conflict_count + batch.conflicts.length,
      undone_to: batch.position,
      ...(batch.isLast && { undo_state: 'done' as const }),
    })
  },
})

/** Stores how far the import is reverted. */
const store = (
  { conclude, workspaceId, clock }: JobContext,
  { import_id }: RevertRow,
  changes: Partial<RevertRow>,
): Promise<JobOutcome<Payload>> =>
  conclude(async (tx): Promise<JobOutcome<Payload>> => {
    const isOver = changes.undo_state !== undefined
    await updateRevert(tx, workspaceId, import_id, { ...changes, ...(isOver && { ended_at: clock.now() }) })
    return isOver ? { state: 'done' } : { state: 'again', inMs: 0 }
  })
