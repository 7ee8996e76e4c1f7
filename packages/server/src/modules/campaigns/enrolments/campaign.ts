import type { Sending } from '@kontor/contract'
import type { RowOf } from '../../../db/columns.ts'

/** The row of a campaign beside its workflow. */
export type CampaignRow = Omit<RowOf<'campaign'>, 'workspace_id'> & { readonly sending: Sending }

/** Returns the row of a campaign that was created as a workflow. */
export const plainCampaign = (workflowId: string): CampaignRow => ({
  workflow_id: workflowId,
  sending: { daily_cap: null, per_domain_per_minute: null, window: null },
  ends_on_reply: true,
  enrolment_task_id: null,
})
