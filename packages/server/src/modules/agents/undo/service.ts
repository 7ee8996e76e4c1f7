import { z } from 'zod'
import { enqueue } from '../../../engine/store.ts'
import type { JobType, JobKind } from '../../../engine/types.ts'
import { chainOf, chainShape } from '../../../kernel/actor.ts'
import type { WorkspaceReadContext, WriteContext } from '../../../kernel/implement.ts'
import { defined } from '../../../lib/guards.ts'
import { isEnded, isCarriedOut, type WorkflowServices } from '../../runs/index.ts'
import { newProgress, presentProgress, continueReverting } from '../../reverting/index.ts'
import { requireAgentRun } from '../find.ts'
import { findUndo, insertUndo, updateUndo, type UndoRow } from './store.ts'
import type { AgentUndoResource } from '@kontor/contract'
import { resource } from '../../../kernel/resource.ts'

const payload = z.object({ run_id: z.string(), chain: chainShape.optional() })

/** The job that undoes a run. */
const undoKind: JobType<z.infer<typeof payload>> = { name: 'agents.undo', payload }

type Path = { readonly agentId: string; readonly runId: string }
type UndoRequest = Path & { readonly silent?: boolean | undefined }

/** Has a job undo what a run wrote, as the caller; a run that is being undone, or has been, is left to that. */
export async function undoRun(
  ctx: WriteContext<'run_state'>,
  { silent = false, ...path }: UndoRequest,
): Promise<UndoRow> {
  const { run } = await requireAgentRun(ctx, path)
  if (!isEnded(run))
    throw ctx.fail('run_state', {
      detail: 'This run is in progress: cancel it first.',
      meta: { status: run.run_status },
    })
  const { workspaceId } = ctx.workspace
  const row: UndoRow = { run_id: run.id, ...newProgress(ctx, silent) }
  if (!(await insertUndo(ctx.tx, workspaceId, row))) return defined(await findUndo(ctx.tx, workspaceId, run.id))
  await enqueue(ctx.tx, {
    workspaceId,
    kind: undoKind,
    payload: { run_id: run.id, chain: chainOf(ctx.actor) },
    now: ctx.clockNow,
    key: run.id,
  })
  return row
}

export async function getUndo(ctx: WorkspaceReadContext<'forbidden'>, path: Path): Promise<UndoRow> {
  const { run } = await requireAgentRun(ctx, path)
  const found = await findUndo(ctx.tx, ctx.workspace.workspaceId, run.id)
  if (found === undefined) throw ctx.fail('not_found', { detail: 'This run has not been undone.' })
  return found
}

export const presentUndo = (row: UndoRow): AgentUndoResource =>
  resource('agent-undo', row.run_id, {
    run_id: row.run_id,
    events: row.events_seen,
    ...presentProgress(row),
  })

type Payload = z.infer<typeof undoKind.payload>

/** The time after which a run that was cancelled in the middle of a step is looked at again. */
const carriedOutMs = 200

/** Takes back what a run wrote, the last event first, as the person who asked for it. */
export const undoJob = (services: WorkflowServices): JobKind<Payload> => ({
  ...undoKind,
  async run(context, { run_id: runId, chain }) {
    const { database, workspaceId } = context
    const row = await findUndo(database.reader, workspaceId, runId)
    if (row === undefined || row.undo_state !== 'running') return { state: 'done' }
    if (row.undone_to === null && (await isCarriedOut(database.reader, workspaceId, runId)))
      return { state: 'again', inMs: carriedOutMs }
    return continueReverting(services, context, { runId, chain }, row, (tx, changes) =>
      updateUndo(tx, workspaceId, runId, changes),
    )
  },
})
