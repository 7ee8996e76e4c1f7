import type { CampaignProgressResource } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { resource } from '../../../kernel/resource.ts'
import { findObject } from '../../objects/index.ts'
import { requireCampaign } from '../find.ts'
import { countByProgress } from './store.ts'

/** How far a campaign is with the people whom the caller may see. */
export async function progressOf(ctx: WorkspaceReadContext, campaignId: string): Promise<CampaignProgressResource> {
  const { row } = await requireCampaign(ctx, campaignId)
  const { principal } = await findObject(ctx, 'person', 'read')
  const counted = await countByProgress(ctx.tx, {
    workspaceId: ctx.workspace.workspaceId,
    workflowId: row.id,
    principal,
    delivery: undefined,
    engagement: undefined,
    people: undefined,
    isOneByOne: false,
  })
  const totals = { pending: 0, sent: 0, failed: 0, suppressed: 0 }
  for (const { progress, total } of counted) totals[progress] = total
  const enrolled = counted.reduce((sum, { total }) => sum + total, 0)
  return resource('campaign-progress', row.id, { enrolled, ...totals })
}
