import type { WorkflowGraph, WorkflowResource, WorkflowVersionResource } from '@kontor/contract'
import type { Actor } from '../../kernel/actor.ts'
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { resource } from '../../kernel/resource.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import type { VersionRow, Workflow, WorkflowRow } from './store.ts'

type Typed = Pick<WorkflowRow, 'type'>

/**
 * A graph as a caller may see it: what an agent is told to do takes the scope for agents, wherever its workflow shows.
 */
export const shownGraph = ({ actor }: WorkspaceReadContext, { type }: Typed, graph: WorkflowGraph): WorkflowGraph =>
  showsTask(actor, type)
    ? graph
    : {
        ...graph,
        blocks: Object.fromEntries(Object.entries(graph.blocks).map(([key, node]) => [key, { ...node, input: {} }])),
      }

/** Whether a caller may see what the steps of a workflow take. */
export const showsTask = (actor: Actor, type: WorkflowRow['type']): boolean =>
  type !== 'agent' || holdsScope(actor, 'agents:read')

export const presentWorkflow = (ctx: WorkspaceReadContext, { row, graph }: Workflow): WorkflowResource =>
  resource('workflow', row.id, {
    _id: row.id,
    name: row.name,
    description: row.description,
    enabled: row.enabled,
    type: row.type,
    published_at: isoTimeOrNull(row.published_at),
    ...shownGraph(ctx, row, graph),
    version: row.graph_version,
    owner_id: row.owner_id,
    acting_id: row.actor.id,
    stopped_reason: row.stopped_reason,
    _created_at: isoTime(row.created_at),
    _created_by: row.created_by,
    _updated_at: isoTime(row.updated_at),
    _updated_by: row.updated_by,
  })

export const presentVersion = (ctx: WorkspaceReadContext, workflow: Typed, row: VersionRow): WorkflowVersionResource =>
  resource('workflow-version', `${row.workflow_id}:${row.version}`, {
    workflow_id: row.workflow_id,
    version: row.version,
    ...shownGraph(ctx, workflow, row.graph),
    _created_at: isoTime(row.created_at),
    _created_by: row.created_by,
  })
