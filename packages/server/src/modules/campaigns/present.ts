import { campaigns, type CampaignResource, type CampaignState } from '@kontor/contract'
import { isoTimeOrNull } from '../../kernel/clock.ts'
import { presenterOf } from '../../kernel/resource.ts'
import { isString } from '../../lib/guards.ts'
import type { CampaignRow } from './enrolments/store.ts'
import type { Workflow } from '../definitions/index.ts'

const stateOf = ({ row }: Workflow): CampaignState =>
  row.enabled ? 'running' : row.published_at === null ? 'draft' : 'paused'

/** The list whose members a campaign writes to: that of its trigger. */
export function listOf({ graph: { trigger } }: Workflow): string | null {
  const { list_id: id } = trigger.input
  return trigger.plugin_id === 'on:svc:add-to-list' && isString(id) ? id : null
}

const present = presenterOf(campaigns.get.response.shape.data)

export const presentCampaign = (workflow: Workflow, campaign: CampaignRow): CampaignResource => {
  const { row, graph } = workflow
  return present(
    { ...graph, ...campaign, ...row },
    {
      state: stateOf(workflow),
      list_id: listOf(workflow),
      first_block: graph.trigger.next,
      version: row.graph_version,
      acting_id: row.actor.id,
      started_at: isoTimeOrNull(row.published_at),
    },
  )
}
