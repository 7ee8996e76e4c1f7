import type { campaigns, campaignSortColumns, Input } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { requestedOrder } from '../../kernel/requested-order.ts'
import { offsetEnvelope } from '../../lib/page-links.ts'
import { countWorkflows, listWorkflows, type WorkflowOrder } from '../definitions/index.ts'
import { presentCampaign } from './present.ts'
import { findCampaigns } from './store.ts'

const columns: Readonly<Record<(typeof campaignSortColumns)[number], WorkflowOrder['column']>> = {
  name: 'name',
  _created_at: 'created_at',
  _updated_at: 'updated_at',
}

const states = {
  draft: { isPublished: false },
  running: { enabled: true },
  paused: { isPublished: true, enabled: false },
} as const

export async function pageOfCampaigns(
  ctx: WorkspaceReadContext<'unknown_field'>,
  { workspace, page, sortOrder, filter, search }: Input<typeof campaigns.list>,
) {
  const { workspaceId } = ctx.workspace
  const asked: { readonly isPublished?: boolean; readonly enabled?: boolean } =
    filter?.state === undefined ? {} : states[filter.state]
  const sought = {
    workspaceId,
    equal: { type: 'sequence' as const, ...(asked.enabled !== undefined && { enabled: asked.enabled }) },
    search,
    isPublished: asked.isPublished,
  }
  const order = requestedOrder(ctx, sortOrder, columns, { column: 'created_at', descending: false })
  const [found, total] = await Promise.all([listWorkflows(ctx.tx, sought, order, page), countWorkflows(ctx.tx, sought)])
  const campaignOf = await findCampaigns(
    ctx.tx,
    workspaceId,
    found.map(({ row }) => row.id),
  )
  const url = `${ctx.baseUrl}/workspaces/${workspace}/campaigns`
  return {
    data: found.map((workflow) => presentCampaign(workflow, campaignOf(workflow.row.id))),
    ...offsetEnvelope(url, page, total, { sortOrder, filter, search }),
  }
}
