import { agents, type Input } from '@kontor/contract'
import { emptyList } from '../../db/short-list.ts'
import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { shortPage } from '../../kernel/short-page.ts'
import { workflowsAmong, workflowSorting } from '../definitions/index.ts'
import { presentAgent } from './task.ts'

export async function pageOfAgents(ctx: WorkspaceReadContext<'unknown_field'>, input: Input<typeof agents.list>) {
  const { enabled, owner_id: ownerId } = input.filter ?? {}
  const sought = {
    workspaceId: ctx.workspace.workspaceId,
    equal: {
      type: 'agent' as const,
      ...(enabled !== undefined && { enabled }),
      ...(ownerId !== undefined && { owner_id: ownerId }),
    },
    search: input.search,
  }
  // An invalid id owns nothing.
  const read = ownerId !== undefined && !isId(ownerId) ? emptyList : workflowsAmong(sought)
  const { rows, ...envelope } = await shortPage(ctx, agents.list, input, { ...workflowSorting, read })
  return { data: rows.map(presentAgent), ...envelope }
}
