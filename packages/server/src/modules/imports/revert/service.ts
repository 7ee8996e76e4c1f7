import { z } from 'zod'
import { enqueueNew } from '../../../engine/store.ts'
import type { JobType, JobKind } from '../../../engine/types.ts'
import { chainOf, chainShape } from '../../../kernel/actor.ts'
import type { WorkspaceReadContext, WriteContext } from '../../../kernel/implement.ts'
import { defined } from '../../../lib/guards.ts'
import { newProgress, presentProgress, continueReverting, type RevertServices } from '../../reverting/index.ts'
import { isOpen } from '../ends.ts'
import { requireImport } from '../find.ts'
import { findRevert, insertRevert, updateRevert, type RevertRow } from './store.ts'
import type { ImportRevertResource } from '@kontor/contract'
import { resource } from '../../../kernel/resource.ts'

const payload = z.object({ import_id: z.string(), chain: chainShape.optional() })

/** The job that reverts an import. */
const revertJobType: JobType<z.infer<typeof payload>> = { name: 'imports.revert', payload }

/** Has a job revert an import, as the caller; one that is being reverted, or has been, is left to that. */
export async function revertImport(
  ctx: WriteContext<'import_state'>,
  { id, silent = false }: { readonly id: string; readonly silent?: boolean | undefined },
): Promise<RevertRow> {
  const found = await requireImport(ctx, id)
  if (isOpen(found))
    throw ctx.fail('import_state', {
      detail: 'This import is in progress: cancel it first.',
      meta: { state: found.state },
    })
  const { workspaceId } = ctx.workspace
  const row: RevertRow = { import_id: id, ...newProgress(ctx, silent) }
  if (!(await insertRevert(ctx.tx, workspaceId, row))) return defined(await findRevert(ctx.tx, workspaceId, id))
  await enqueueNew(ctx.tx, [
    {
      workspaceId,
      kind: revertJobType,
      payload: { import_id: id, chain: chainOf(ctx.actor) },
      now: ctx.clockNow,
      key: id,
    },
  ])
  return row
}

/** Finds how far an import is reverted. */
export async function requireRevert(ctx: WorkspaceReadContext, id: string): Promise<RevertRow> {
  await requireImport(ctx, id)
  const found = await findRevert(ctx.tx, ctx.workspace.workspaceId, id)
  if (found === undefined) throw ctx.fail('not_found', { detail: 'This import has not been reverted.' })
  return found
}

export const presentRevert = (row: RevertRow): ImportRevertResource =>
  resource('import-revert', row.import_id, {
    import_id: row.import_id,
    changes: row.events_seen,
    ...presentProgress(row),
  })

type Payload = z.infer<typeof revertJobType.payload>

/** Reverts an import, the last change first, as the one who requested it. */
export const revertJob = (services: RevertServices): JobKind<Payload> => ({
  ...revertJobType,
  async run(context, { import_id: importId, chain }) {
    const { database, workspaceId } = context
    const row = await findRevert(database.reader, workspaceId, importId)
    if (row === undefined || row.undo_state !== 'running') return { state: 'done' }
    return continueReverting(services, context, { runId: importId, chain }, row, (tx, changes) =>
      updateRevert(tx, workspaceId, importId, changes),
    )
  },
})
