import { undoConflictsMax, type UndoConflict } from '@kontor/contract'
import type { JobContext, JobKind, JobOutcome } from '../../../engine/types.ts'
import type { CallByName } from '../../../kernel/invoke/in-process.ts'
import { listEventsOfRun, runPositionOf, type RunEvent } from '../../activities/index.ts'
import { actingAs, actorOf, contextAs, standingOf } from '../../identity/acting/index.ts'
import { isCarriedOut, type WorkflowServices } from '../../runs/index.ts'
import { findSlug } from '../../workspaces/index.ts'
import { revert } from './revert.ts'
import { undoKind } from './service.ts'
import { findUndo, updateUndo, type UndoRow } from './store.ts'

type Payload = { readonly run_id: string }

/** Events that are taken back between two commits of the job. */
const batchMax = 20

/** How soon a run that was cancelled in the middle of a step is looked at again. */
const carriedOutMs = 200

/** Takes back what a run wrote, the last event first, as the person who asked for it. */
export const undoJob = (services: WorkflowServices): JobKind<Payload> => ({
  ...undoKind,
  async run(context, { run_id: runId }) {
    const { database, workspaceId, clock, signal } = context
    const [row, slug] = await Promise.all([
      findUndo(database.reader, workspaceId, runId),
      findSlug(database.reader, workspaceId),
    ])
    if (row === undefined || slug === undefined || row.undo_state !== 'running') return { state: 'done' }
    if (row.undone_to === null && (await isCarriedOut(database.reader, workspaceId, runId)))
      return { state: 'again', inMs: carriedOutMs }
    const at = { workspaceId, now: clock.now() }
    const acting = actingAs(row.actor, workspaceId)
    const standing = await standingOf(database.reader, at, acting)
    if ('stopped' in standing) return end(context, row, { undo_state: 'failed' })
    const events = await listEventsOfRun(database.reader, { workspaceId, runId }, row.undone_to, batchMax)
    const act = services.actByName(actorOf(row.actor, workspaceId, undefined), runId)
    const call: CallByName = (name, input, options) =>
      act(name, { ...input, ...(row.silent && { silent: true }) }, options)
    const conflicts: UndoConflict[] = []
    let reverted = 0
    for (const event of events) {
      signal.throwIfAborted()
      const schemas = await services.schemaSets.readCurrent(database.reader, workspaceId)
      const ctx = contextAs(database.reader, at, schemas, acting, standing.role)
      const left = await revert({ ctx, call, read: act, slug }, event)
      if (left.length === 0) reverted++
      conflicts.push(...left.map((one) => ({ ...aboutOf(event), ...one })))
      await context.heartbeat()
    }
    const last = events.at(-1)
    return end(context, row, {
      events_seen: row.events_seen + events.length,
      events_reverted: row.events_reverted + reverted,
      conflicts: [...row.conflicts, ...conflicts].slice(0, undoConflictsMax),
      conflict_count: row.conflict_count + conflicts.length,
      ...(last !== undefined && { undone_to: runPositionOf(last) }),
      ...(events.length < batchMax && { undo_state: 'done' as const }),
    })
  },
})

const aboutOf = ({ object, record_id, type }: RunEvent) => ({ object, record_id, activity_type: type })

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
