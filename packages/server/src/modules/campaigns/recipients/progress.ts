import type { CampaignProgressResource } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { resource } from '../../../kernel/resource.ts'
import { seesAll } from '../../access/index.ts'
import { findObject } from '../../objects/index.ts'
import { recipientTotals } from '../enrolments/totals.ts'
import { requireCampaign } from '../store.ts'
import { countTotals } from './store.ts'

/** Returns the progress of a campaign with the people whom the caller may see. */
export async function progressOf(ctx: WorkspaceReadContext, campaignId: string): Promise<CampaignProgressResource> {
  const { row } = await requireCampaign(ctx, campaignId)
  const { principal } = await findObject(ctx, 'person', 'read')
  const { workspaceId } = ctx.workspace
  const { enrolled, progress } = seesAll(principal)
    ? await recipientTotals(ctx.tx, workspaceId, row.id)
    : await countTotals(ctx.tx, {
        workspaceId,
        workflowId: row.id,
        principal,
        delivery: undefined,
        engagement: undefined,
        people: undefined,
        isOneByOne: false,
      })
  return resource('campaign-progress', row.id, { enrolled, ...progress })
}
