import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import type { AccessTarget, AccessTargets } from '../access/index.ts'
import { listAsker, missingList } from './find.ts'
import { listById, lockMany, updateList, type ListRow } from './store.ts'

/** A list as what can be shared. */
export const targetOf = (ctx: WorkspaceReadContext, { id, owner_id, visibility }: ListRow): AccessTarget => ({ id, owner_id, visibility, object: 'list', objectKey: 'list', asker: listAsker(ctx) })

/** Lists as what can be shared, whatever objects they are of. */
export const listTargets: AccessTargets = {
  find: async (ctx, _object, ids) => (await listById(ctx.tx, ctx.workspace.workspaceId, ids.filter(isId))).map((row) => targetOf(ctx, row)),

  lock: async (ctx, _object, ids) => (await lockMany(ctx.tx, ctx.workspace.workspaceId, ids.filter(isId))).map((row) => targetOf(ctx, row)),

  updateVisibility: (ctx, { id }, visibility) => updateList(ctx.tx, ctx.workspace.workspaceId, id, { visibility }),

  missing: async (ctx) => missingList(ctx),
}
