import { actorId } from '../../kernel/actor.ts'
import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { findExport, type ExportRow } from './store.ts'

/** Finds an export that the caller may see: its creator and admins may. */
export async function requireExport(ctx: WorkspaceReadContext, id: string): Promise<ExportRow> {
  const { actor, workspace } = ctx
  const row = isId(id) ? await findExport(ctx.tx, workspace.workspaceId, id) : undefined
  if (row === undefined || !(workspace.role === 'admin' || row.created_by === actorId(actor)))
    throw ctx.fail('not_found', { detail: 'There is no export with this id that you may see.' })
  return row
}
