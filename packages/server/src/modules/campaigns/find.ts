import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { isId } from '../../kernel/ids.ts'
import { findWorkflow, type Workflow } from '../definitions/index.ts'

/** A campaign by its id; every member may see every campaign, but only people whom they may see. */
export async function requireCampaign(ctx: WorkspaceReadContext, id: string): Promise<Workflow> {
  const found = isId(id) ? await findWorkflow(ctx.tx, ctx.workspace.workspaceId, id) : undefined
  if (found?.row.type !== 'sequence') throw ctx.fail('not_found', { detail: 'There is no campaign with this id.' })
  return found
}
