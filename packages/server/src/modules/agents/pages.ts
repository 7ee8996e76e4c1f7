import type { agents, agentSortColumns, Input } from '@kontor/contract'
import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { requestedOrder } from '../../kernel/requested-order.ts'
import { offsetEnvelope } from '../../lib/page-links.ts'
import { countWorkflows, listWorkflows, type WorkflowOrder } from '../definitions/index.ts'
import { presentAgent } from './present.ts'

const columns: Readonly<Record<(typeof agentSortColumns)[number], WorkflowOrder['column']>> = {
  name: 'name',
  _created_at: 'created_at',
  _updated_at: 'updated_at',
}

export async function pageOfAgents(
  ctx: WorkspaceReadContext<'unknown_field'>,
  { workspace, page, sortOrder, filter, search }: Input<typeof agents.list>,
) {
  const { enabled, owner_id: ownerId } = filter ?? {}
  const sought = {
    workspaceId: ctx.workspace.workspaceId,
    equal: {
      type: 'agent' as const,
      ...(enabled !== undefined && { enabled }),
      ...(ownerId !== undefined && { owner_id: ownerId }),
    },
    search,
  }
  const order = requestedOrder(ctx, sortOrder, columns, { column: 'created_at', descending: false })
  // What is no id owns nothing.
  const isOfNone = ownerId !== undefined && !isId(ownerId)
  const [found, total] = isOfNone
    ? [[], 0]
    : await Promise.all([listWorkflows(ctx.tx, sought, order, page), countWorkflows(ctx.tx, sought)])
  const url = `${ctx.baseUrl}/workspaces/${workspace}/agents`
  return {
    data: found.map(presentAgent),
    ...offsetEnvelope(url, page, total, { sortOrder, filter, search }),
  }
}
