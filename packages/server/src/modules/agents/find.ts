import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { findWorkflow, requireCharge, type Workflow } from '../definitions/index.ts'
import { readRun } from '../runs/index.ts'
import type { ReadTx } from '../../db/tx.ts'

/** An agent by its id; every member may see every agent, but not what its runs have read. */
export async function requireAgent(ctx: WorkspaceReadContext, id: string): Promise<Workflow> {
  const found = isId(id) ? await findWorkflow(ctx.tx, ctx.workspace.workspaceId, id) : undefined
  if (found?.row.type !== 'agent') throw ctx.fail('not_found', { detail: 'There is no agent with this id.' })
  return found
}

/** Refuses callers who may not see what the agent does, and runs of others. */
export async function requireAgentRun(
  ctx: WorkspaceReadContext<'forbidden'>,
  { agentId, runId }: { readonly agentId: string; readonly runId: string },
) {
  requireCharge(ctx, (await requireAgent(ctx, agentId)).row)
  const found = await readRun(ctx, runId)
  if (found.run.workflow_id !== agentId) throw ctx.fail('not_found', { detail: 'There is no run with this id.' })
  return found
}

/** Finds the person or the key that an agent or a workflow acts for; undefined of what is neither. */
export const findHolder = async (tx: ReadTx, workspaceId: string, id: string): Promise<string | undefined> =>
  (await findWorkflow(tx, workspaceId, id))?.row.actor.id
