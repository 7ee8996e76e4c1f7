import type { WorkflowGraph, WorkflowResource, WorkflowVersionResource } from '@kontor/contract'
import type { Actor } from '../../kernel/actor.ts'
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { resource } from '../../kernel/resource.ts'
import { holdsScope } from '../../kernel/authorise.ts'
import { kindOf, type DefinitionKind, type DefinitionKinds } from './kinds.ts'
import type { VersionRow, Workflow } from './store.ts'

/** Returns a graph as a caller may see it: without the inputs of steps, if their kind hides them from the caller. */
export const shownGraph = (
  { actor }: WorkspaceReadContext,
  kind: DefinitionKind,
  graph: WorkflowGraph,
): WorkflowGraph =>
  showsInputs(actor, kind)
    ? graph
    : {
        ...graph,
        blocks: Object.fromEntries(Object.entries(graph.blocks).map(([key, node]) => [key, { ...node, input: {} }])),
      }

/** Returns whether a caller may see the inputs of the steps of a kind of workflow. */
export const showsInputs = (actor: Actor, { ownOperations }: DefinitionKind): boolean =>
  ownOperations === undefined || holdsScope(actor, ownOperations.scope)

export const presentWorkflow = (
  ctx: WorkspaceReadContext,
  kinds: DefinitionKinds,
  { row, graph }: Workflow,
): WorkflowResource =>
  resource('workflow', row.id, {
    _id: row.id,
    name: row.name,
    description: row.description,
    enabled: row.enabled,
    type: row.type,
    published_at: isoTimeOrNull(row.published_at),
    ...shownGraph(ctx, kindOf(kinds, row.type), graph),
    version: row.graph_version,
    owner_id: row.owner_id,
    acting_id: row.actor.id,
    stopped_reason: row.stopped_reason,
    _created_at: isoTime(row.created_at),
    _created_by: row.created_by,
    _updated_at: isoTime(row.updated_at),
    _updated_by: row.updated_by,
  })

export const presentVersion = (
  ctx: WorkspaceReadContext,
  kind: DefinitionKind,
  row: VersionRow,
): WorkflowVersionResource =>
  resource('workflow-version', `${row.workflow_id}:${row.version}`, {
    workflow_id: row.workflow_id,
    version: row.version,
    ...shownGraph(ctx, kind, row.graph),
    _created_at: isoTime(row.created_at),
    _created_by: row.created_by,
  })
