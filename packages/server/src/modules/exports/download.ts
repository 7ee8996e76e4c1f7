import { actorId } from '../../kernel/actor.ts'
import { isLowerRole, isNarrowed, scopesMissing } from '../../kernel/authorise.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { actorOf } from '../identity/acting/index.ts'
import type { ExportRow } from './store.ts'

/** 404 unless the caller is the creator, with no fewer rights than the export was started with. */
export function requireDownload(ctx: WorkspaceReadContext, row: ExportRow): void {
  if (row.created_by === actorId(ctx.actor) && seesAsMuch(ctx, row)) return
  throw ctx.fail('not_found', {
    detail:
      row.kind === 'workspace'
        ? 'Only the creator of an export may download it, as an admin with a credential without scopes.'
        : 'Only the creator of an export may download it, with the role and the scopes that it was started with.',
  })
}

/** Returns whether the caller may read everything that the creator could: they may have been demoted, or use a key. */
function seesAsMuch({ actor, workspace }: WorkspaceReadContext, { kind, actor: owner }: ExportRow): boolean {
  if (isLowerRole(workspace.role, kind === 'workspace' ? 'admin' : (owner.role ?? 'admin'))) return false
  if (!isNarrowed(actor)) return true
  const creator = actorOf(owner, workspace.workspaceId, undefined)
  return isNarrowed(creator) && scopesMissing(actor, creator.scopes).length === 0
}
