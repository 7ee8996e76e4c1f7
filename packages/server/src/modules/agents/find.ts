import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { findWorkflow, requireCharge, type Workflow } from '../definitions/index.ts'
import { readRun } from '../runs/index.ts'
import type { ReadTx } from '../../db/tx.ts'
import { workspaceSchemas } from '../schemas/index.ts'

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

/** Returns what is wrong with a stage that agents are to know deals by; nothing where deals have no fixed stages. */
export async function dealStageFault(ctx: WorkspaceReadContext, stage: unknown): Promise<string | undefined> {
  const stages = (await workspaceSchemas(ctx)).get('deal')?.document.properties['stage']?.enum
  if (stages === undefined || stages.includes(stage)) return undefined
  return `Must be a stage of deals: ${stages.map(String).join(', ')}.`
}
