import { undoConflictsMax, type UndoConflict, type UndoState } from '@kontor/contract'
import type { Tx } from '../../db/tx.ts'
import type { JobContext, JobOutcome } from '../../engine/types.ts'
import { actorId } from '../../kernel/actor.ts'
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts'
import type { WriteContext } from '../../kernel/implement.ts'
import type { RunPosition } from '../activities/index.ts'
import { ownerOf, type Owner } from '../identity/acting/index.ts'
import { revertBatch, type Reversion, type RevertServices } from './batch.ts'

/** The progress of reverting a run or an import, and as whom it is done. */
export type RevertProgress = {
  readonly undo_state: UndoState
  readonly actor: Owner
  readonly silent: boolean
  readonly undone_to: RunPosition | null
  readonly events_seen: number
  readonly events_reverted: number
  readonly conflicts: readonly UndoConflict[]
  readonly conflict_count: number
  readonly created_at: number
  readonly created_by: string
  readonly ended_at: number | null
}

/** The columns of the progress, in whichever table it is. */
export const progressColumns = [
  'undo_state',
  'actor',
  'silent',
  'undone_to',
  'events_seen',
  'events_reverted',
  'conflicts',
  'conflict_count',
  'created_at',
  'created_by',
  'ended_at',
] as const satisfies readonly (keyof RevertProgress)[]

/** The progress of what the caller requests now. */
export const newProgress = ({ actor, workspace, now }: WriteContext, silent: boolean): RevertProgress => ({
  undo_state: 'running',
  actor: ownerOf(actor, workspace.role),
  silent,
  undone_to: null,
  events_seen: 0,
  events_reverted: 0,
  conflicts: [],
  conflict_count: 0,
  created_at: now,
  created_by: actorId(actor),
  ended_at: null,
})

/** Returns the progress as responses show it, but for the changes that have been processed. */
export const presentProgress = (row: RevertProgress) => ({
  state: row.undo_state,
  reverted: row.events_reverted,
  conflict_count: row.conflict_count,
  conflicts: [...row.conflicts],
  _created_at: isoTime(row.created_at),
  _created_by: row.created_by,
  ended_at: isoTimeOrNull(row.ended_at),
})

/** Reverts some changes of a run or an import, and stores the progress with `update`. */
export async function continueReverting<Payload>(
  services: RevertServices,
  context: JobContext,
  { runId, chain }: Pick<Reversion, 'runId' | 'chain'>,
  row: RevertProgress,
  update: (tx: Tx, changes: Partial<RevertProgress>) => Promise<void>,
): Promise<JobOutcome<Payload>> {
  const { actor: owner, silent, undone_to: before } = row
  const batch = await revertBatch(services, context, { runId, chain, owner, silent, before })
  const changes: Partial<RevertProgress> =
    batch === undefined
      ? { undo_state: 'failed' }
      : {
          events_seen: row.events_seen + batch.events,
          events_reverted: row.events_reverted + batch.reverted,
          conflicts: [...row.conflicts, ...batch.conflicts].slice(0, undoConflictsMax),
          conflict_count: row.conflict_count + batch.conflicts.length,
          undone_to: batch.position,
          ...(batch.isLast && { undo_state: 'done' }),
        }
  const isOver = changes.undo_state !== undefined
  return context.conclude(async (tx): Promise<JobOutcome<Payload>> => {
    await update(tx, { ...changes, ...(isOver && { ended_at: context.clock.now() }) })
    return isOver ? { state: 'done' } : { state: 'again', inMs: 0 }
  })
}
