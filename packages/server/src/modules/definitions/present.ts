import { workflows, type WorkflowGraph, type WorkflowResource, type WorkflowVersionResource } from '@kontor/contract'
import type { Actor } from '../../kernel/actor.ts'
import { isoTime } from '../../kernel/clock.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { presenterOf, resource } from '../../kernel/resource.ts'
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

const present = presenterOf(workflows.get.response.shape.data)

export const presentWorkflow = (
  ctx: WorkspaceReadContext,
  kinds: DefinitionKinds,
  { row, graph }: Workflow,
): WorkflowResource =>
  present(row, {
    ...shownGraph(ctx, kindOf(kinds, row.type), graph),
    version: row.graph_version,
    acting_id: row.actor.id,
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
