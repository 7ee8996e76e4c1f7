import { actorId } from '../../kernel/actor.ts'
import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { mayTouch } from '../../kernel/authorise.ts'
import { importRows, type ImportRow } from './store.ts'

/** Returns whether a caller may see an import: its creator and admins may, by credentials that cover its object. */
const mayRead = ({ actor, workspace }: WorkspaceReadContext, row: ImportRow): boolean =>
  (workspace.role === 'admin' || row.created_by === actorId(actor)) && mayTouch(actor, 'read', row.object)

/** Finds an import that the caller may see. */
export async function requireImport(ctx: WorkspaceReadContext, id: string): Promise<ImportRow> {
  const row = isId(id) ? await importRows.find(ctx.tx, ctx.workspace.workspaceId, id) : undefined
  if (row === undefined || !mayRead(ctx, row))
    throw ctx.fail('not_found', { detail: 'There is no import with this id that you may see.' })
  return row
}
