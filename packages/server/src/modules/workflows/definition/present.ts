import type { WorkflowResource, WorkflowVersionResource } from '@kontor/contract'
import { isoTime, isoTimeOrNull } from '../../../kernel/clock.ts'
import { resource } from '../../../kernel/resource.ts'
import type { VersionRow, Workflow } from './store.ts'

export const presentWorkflow = ({ row, graph }: Workflow): WorkflowResource =>
  resource('workflow', row.id, {
    _id: row.id,
    name: row.name,
    description: row.description,
    enabled: row.enabled,
    type: row.type,
    published_at: isoTimeOrNull(row.published_at),
    ...graph,
    version: row.graph_version,
    owner_id: row.owner_id,
    acting_id: row.actor.id,
    stopped_reason: row.stopped_reason,
    _created_at: isoTime(row.created_at),
    _created_by: row.created_by,
    _updated_at: isoTime(row.updated_at),
    _updated_by: row.updated_by,
  })

export const presentVersion = (row: VersionRow): WorkflowVersionResource =>
  resource('workflow-version', `${row.workflow_id}:${row.version}`, {
    workflow_id: row.workflow_id,
    version: row.version,
    ...row.graph,
    _created_at: isoTime(row.created_at),
    _created_by: row.created_by,
  })
