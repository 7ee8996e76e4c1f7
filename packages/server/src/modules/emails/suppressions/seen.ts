import { actorId } from '../../../kernel/actor.ts'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { mayTouch } from '../../../kernel/authorise.ts'
import { findObject } from '../../objects/index.ts'
import { listSeenSuppressions } from './store.ts'

/** As whom a caller sees the suppressions that they made themselves; undefined of one who sees all. */
export const makerOf = ({ workspace, actor }: WorkspaceReadContext): string | undefined =>
  workspace.role === 'admin' ? undefined : actorId(actor)

/** Returns which of some suppressions the caller may not see. Of those that were deleted, only admins see any. */
export async function hiddenSuppressions(
  ctx: WorkspaceReadContext,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  if (!mayTouch(ctx.actor, 'read', 'person')) return new Set(ids)
  const createdBy = makerOf(ctx)
  if (createdBy === undefined) return new Set()
  const { principal } = await findObject(ctx, 'person', 'read')
  const view = { workspaceId: ctx.workspace.workspaceId, filter: {}, principal, createdBy }
  const seen = new Set(await listSeenSuppressions(ctx.tx, view, ids))
  return new Set(ids.filter((id) => !seen.has(id)))
}
