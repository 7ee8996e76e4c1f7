import type { CampaignResource, CampaignState } from '@kontor/contract'
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts'
import { resource } from '../../kernel/resource.ts'
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

export const presentCampaign = (workflow: Workflow, campaign: CampaignRow): CampaignResource => {
  const { row, graph } = workflow
  return resource('campaign', row.id, {
    _id: row.id,
    name: row.name,
    description: row.description,
    state: stateOf(workflow),
    enabled: row.enabled,
    list_id: listOf(workflow),
    sending: campaign.sending,
    ends_on_reply: campaign.ends_on_reply,
    first_block: graph.trigger.next,
    blocks: graph.blocks,
    exits: graph.exits,
    run_limits: graph.run_limits,
    version: row.graph_version,
    owner_id: row.owner_id,
    acting_id: row.actor.id,
    stopped_reason: row.stopped_reason,
    started_at: isoTimeOrNull(row.published_at),
    enrolment_task_id: campaign.enrolment_task_id,
    _created_at: isoTime(row.created_at),
    _created_by: row.created_by,
    _updated_at: isoTime(row.updated_at),
    _updated_by: row.updated_by,
  })
}
