import { campaigns, type Input } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { shortPage } from '../../kernel/short-page.ts'
import { workflowsAmong, workflowSorting } from '../definitions/index.ts'
import { presentCampaign } from './present.ts'
import { findCampaigns } from './store.ts'

const states = {
  draft: { isPublished: false },
  running: { enabled: true },
  paused: { isPublished: true, enabled: false },
} as const

export async function pageOfCampaigns(ctx: WorkspaceReadContext<'unknown_field'>, input: Input<typeof campaigns.list>) {
  const { workspaceId } = ctx.workspace
  const state: { readonly isPublished?: boolean; readonly enabled?: boolean } =
    input.filter?.state === undefined ? {} : states[input.filter.state]
  const read = workflowsAmong({
    workspaceId,
    equal: { type: 'sequence', ...(state.enabled !== undefined && { enabled: state.enabled }) },
    search: input.search,
    isPublished: state.isPublished,
  })
  const { rows, ...envelope } = await shortPage(ctx, campaigns.list, input, { ...workflowSorting, read })
  const ids = rows.map(({ row }) => row.id)
  const campaignOf = await findCampaigns(ctx.tx, workspaceId, ids)
  return { data: rows.map((workflow) => presentCampaign(workflow, campaignOf(workflow.row.id))), ...envelope }
}
