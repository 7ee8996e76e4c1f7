import { actorId } from '../../kernel/actor.ts'
import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext, WriteContext } from '../../kernel/implement.ts'
import { requireVersion } from '../../kernel/preconditions.ts'
import { kindOf, type DefinitionKinds } from './kinds.ts'
import { findVersion, findWorkflow, lockWorkflow, type Workflow, type WorkflowRow } from './store.ts'

const missing = (ctx: WorkspaceReadContext) => ctx.fail('not_found', { detail: 'There is no workflow with this id.' })

/** Every member may see every workflow; what its runs have read is for its owner and admins. */
export async function requireWorkflow(ctx: WorkspaceReadContext, id: string): Promise<Workflow> {
  const found = isId(id) ? await findWorkflow(ctx.tx, ctx.workspace.workspaceId, id) : undefined
  if (found === undefined) throw missing(ctx)
  return found
}

/** A workflow that the operations of workflows may change and run. */
export async function requireCommonWorkflow(
  ctx: WorkspaceReadContext<'forbidden'>,
  kinds: DefinitionKinds,
  id: string,
): Promise<Workflow> {
  const found = await requireWorkflow(ctx, id)
  requireCommonKind(ctx, kinds, found.row)
  return found
}

/** Refuses to change or run as a workflow what has operations of its own. */
export function requireCommonKind(
  ctx: WorkspaceReadContext<'forbidden'>,
  kinds: DefinitionKinds,
  { type }: Pick<WorkflowRow, 'type'>,
): void {
  const own = kindOf(kinds, type).ownOperations
  if (own !== undefined) throw ctx.fail('forbidden', { detail: own.refusal })
}

type Charge = Pick<WorkflowRow, 'owner_id' | 'actor'>

const isAdmin = ({ workspace }: WorkspaceReadContext): boolean => workspace.role === 'admin'

/** Refuses callers who may not change a workflow: it takes its owner, the one as whom it runs, or an admin. */
export function requireCharge(ctx: WorkspaceReadContext<'forbidden'>, { owner_id, actor }: Charge): void {
  if (!isAdmin(ctx) && ![owner_id, actor.id].includes(actorId(ctx.actor)))
    throw ctx.fail('forbidden', { detail: 'Only the owner of this workflow or an admin may do that.' })
}

/** Refuses callers for whom a workflow would do, or show, more than they may themselves. */
export function requireActing(ctx: WorkspaceReadContext<'forbidden'>, { actor }: Charge): void {
  if (!isAdmin(ctx) && actor.id !== actorId(ctx.actor))
    throw ctx.fail('forbidden', {
      detail:
        'Only an admin or the user this workflow runs as may do that. It runs as the last user who enabled it or ' +
        'changed its graph.',
    })
}

/** As whom runs are that the caller may see, since they hold what that one has read; undefined: as any. */
export const actingOf = (ctx: WorkspaceReadContext): string | undefined =>
  isAdmin(ctx) ? undefined : actorId(ctx.actor)

/** Locks a workflow for a change: 403 if the caller may not make it, 412 for another version than the caller's. */
export async function requireChangeable(ctx: WriteContext, id: string): Promise<Workflow> {
  const { workspaceId } = ctx.workspace
  const row = isId(id) ? await lockWorkflow(ctx.tx, workspaceId, id) : undefined
  if (row === undefined) throw missing(ctx)
  requireCharge(ctx, row)
  requireVersion(ctx, 'workflow', row.version)
  const version = await findVersion(ctx.tx, workspaceId, id, row.graph_version)
  if (version === undefined) throw missing(ctx)
  return { row, graph: version.graph }
}

const versionShape = /^[1-9]\d{0,8}$/

/** A version of a workflow, by the number in the path. */
export async function requireGraph(ctx: WorkspaceReadContext, { row }: Workflow, version: string | number) {
  const isNumber = versionShape.test(String(version))
  const found = isNumber ? await findVersion(ctx.tx, ctx.workspace.workspaceId, row.id, Number(version)) : undefined
  if (found === undefined) throw ctx.fail('not_found', { detail: 'There is no such version of this workflow.' })
  return found
}
