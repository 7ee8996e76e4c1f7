import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { principalOf, type AccessTarget, type AccessTargets, type Principal } from '../access/index.ts'
import { lists, missingList } from './find.ts'
import { listById, lockMany, updateList, type ListRow } from './store.ts'

/** A list as a sharing target. */
export const targetOf = (principal: Principal, { id, owner_id, visibility }: ListRow): AccessTarget => ({
  id,
  owner_id,
  visibility,
  object: 'list',
  objectKey: 'list',
  principal,
})

const readTarget = (ctx: WorkspaceReadContext, row: ListRow): AccessTarget =>
  targetOf(principalOf(ctx, lists, 'read'), row)

/** Lists of any object as sharing targets. */
export const listTargets: AccessTargets = {
  find: async (ctx, _object, ids) =>
    (await listById(ctx.tx, ctx.workspace.workspaceId, ids.filter(isId))).map((row) => readTarget(ctx, row)),

  lock: async (ctx, _object, ids) =>
    (await lockMany(ctx.tx, ctx.workspace.workspaceId, ids.filter(isId))).map((row) => readTarget(ctx, row)),

  updateVisibility: (ctx, { id }, visibility) => updateList(ctx.tx, ctx.workspace.workspaceId, id, { visibility }),

  missing: async (ctx) => missingList(ctx),
}
