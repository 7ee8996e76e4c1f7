import { isDeepStrictEqual } from 'node:util'
import type { Input, NewWorkflow, WorkflowChange, WorkflowGraph, workflows } from '@kontor/contract'
import { actorId } from '../../kernel/actor.ts'
import type { WriteContext } from '../../kernel/implement.ts'
import { requireAsRead, requireSameId } from '../../kernel/preconditions.ts'
import { memberOf } from '../../lib/guards.ts'
import { pointer } from '../../lib/pointers.ts'
import { startFollowing } from '../events/index.ts'
import { consumerName, beginHeartbeat, enqueueRelease, enqueueRemoval, type WorkflowServices } from '../runs/index.ts'
import {
  kindOf,
  requireRunnable,
  requireChangeable,
  requireGraph,
  withParts,
  presentWorkflow,
  deleteWorkflow,
  insertVersion,
  insertWorkflow,
  updateWorkflow,
  type Workflow,
  type WorkflowRow,
} from '../definitions/index.ts'
import { actingAs, ownerOf, standingOf, type Owner } from '../identity/acting/index.ts'

type SentBody<A> = { readonly attributes: A; readonly base: readonly string[]; readonly id: string | undefined }

const given = <A extends object>(
  body: A | { readonly data: { readonly id?: string | undefined; readonly attributes: A } },
): SentBody<A> =>
  'data' in body
    ? { attributes: body.data.attributes, base: ['data', 'attributes'], id: body.data.id }
    : { attributes: body, base: [], id: undefined }

/** The parts of the server that a change of a workflow needs. */
export type WorkflowParts = Pick<WorkflowServices, 'plugins' | 'kinds'>

/** Another kind than the body names, with the owner as whom it runs. */
type OfKind = { readonly type: WorkflowRow['type']; readonly ownerOf: (id: string) => Owner }

/** Creates a workflow that its creator owns, and as whom it runs. */
export async function createWorkflow(
  ctx: WriteContext,
  parts: WorkflowParts,
  body: Input<typeof workflows.create>['body'],
  kind?: OfKind,
): Promise<Workflow> {
  const { attributes, base } = given<NewWorkflow>(body)
  requireOwnKeys(ctx, attributes, base)
  const graph = withParts(undefined, attributes)
  const type = kind?.type ?? attributes.type ?? 'workflow'
  const enabled = attributes.enabled ?? false
  const draft = enabled ? undefined : { stored: undefined }
  await requireRunnable(ctx, parts.plugins, type, graph, { base, attributes }, draft)
  const by = actorId(ctx.actor)
  // Until it is replaced, the address of its inbound webhook ends in it, and nothing else protects that.
  const id = ctx.newSecretId()
  const actor = kind === undefined ? ownerOf(ctx.actor, ctx.workspace.role) : kind.ownerOf(id)
  const row: WorkflowRow = {
    id,
    name: attributes.name,
    description: attributes.description ?? '',
    type,
    enabled,
    published_at: enabled ? ctx.now : null,
    trigger_plugin: graph.trigger.plugin_id,
    version: 1,
    graph_version: 1,
    owner_id: actor.id,
    actor,
    stopped_reason: null,
    address_rotation: 0,
    created_at: ctx.now,
    created_by: by,
    updated_at: ctx.now,
    updated_by: by,
  }
  await Promise.all([insertWorkflow(ctx.tx, ctx.workspace.workspaceId, row), addVersion(ctx, row, graph)])
  await tell(ctx, 'workflow.created', row.id)
  const workflow = { row, graph }
  if (enabled) await begin(ctx, parts, workflow)
  return workflow
}

/** A workflow after a change, and as it was before. */
export type ChangedWorkflow = Workflow & { readonly before: Workflow }

/** Changes a workflow; a change without a difference leaves no trace. */
export async function changeWorkflow(
  ctx: WriteContext,
  parts: WorkflowParts,
  id: string,
  body: Input<typeof workflows.update>['body'],
  kind?: Pick<OfKind, 'ownerOf'>,
): Promise<ChangedWorkflow> {
  const { attributes, base, id: named } = given<WorkflowChange>(body)
  requireSameId(ctx, named, id)
  requireOwnKeys(ctx, attributes, base)
  const workflow = await requireChangeable(ctx, id)
  requireAsRead(ctx, attributes, presentWorkflow(ctx, parts.kinds, workflow).attributes, base)
  const graph = withParts(workflow.graph, attributes)
  const changed = await apply(ctx, parts, workflow, { attributes, graph, base, actor: kind?.ownerOf(id) })
  return { ...changed, before: workflow }
}

/** Makes a new version of a workflow, not of its graph: what another module keeps of it has changed. */
export async function touchWorkflow(ctx: WriteContext, { row, graph }: Workflow): Promise<Workflow> {
  const changes = {
    version: row.version + 1,
    updated_at: Math.max(ctx.now, row.updated_at),
    updated_by: actorId(ctx.actor),
  }
  await updateWorkflow(ctx.tx, ctx.workspace.workspaceId, row.id, changes)
  await tell(ctx, 'workflow.updated', row.id)
  return { row: { ...row, ...changes }, graph }
}

/** Gives a workflow the graph of one of its versions, as a new version. */
export async function restoreVersion(
  ctx: WriteContext,
  parts: WorkflowParts,
  { id, version }: { readonly id: string; readonly version: string },
): Promise<Workflow> {
  const workflow = await requireChangeable(ctx, id)
  const { graph } = await requireGraph(ctx, workflow, version)
  return apply(ctx, parts, workflow, { attributes: {}, graph, base: [] })
}

type Attributes = Pick<WorkflowChange, 'name' | 'description' | 'enabled' | 'published_at'>

type GraphChange = {
  readonly attributes: Attributes
  readonly graph: WorkflowGraph
  readonly base: readonly string[]
  /** As whom it shall run, if not as the caller. */
  readonly actor?: Owner | undefined
}

async function apply(
  ctx: WriteContext,
  parts: WorkflowParts,
  workflow: Workflow,
  { attributes, graph, base, actor }: GraphChange,
): Promise<Workflow> {
  const { row } = workflow
  // The new owner of what is taken over says what it does, even if it is the same.
  const isTakenOver = actor !== undefined && actor.id !== row.owner_id
  const isOtherGraph = isTakenOver || !isDeepStrictEqual(graph, workflow.graph)
  const state = stateOf(ctx, row, attributes)
  const isEnabling = state.enabled && (!row.enabled || (attributes.enabled === true && (await isOrphan(ctx, row))))
  const isPublished = state.published_at !== null
  const mustRun = (isOtherGraph && isPublished) || isEnabling || (isPublished && row.published_at === null)
  const draft = mustRun ? undefined : { stored: workflow.graph }
  await requireRunnable(ctx, parts.plugins, row.type, graph, { base, attributes }, draft)
  const wanted = {
    name: attributes.name ?? row.name,
    description: attributes.description === undefined ? row.description : (attributes.description ?? ''),
    ...state,
    // It runs as the last person who enabled it or changed its graph, so an edit never grants someone else's rights.
    ...((isEnabling || isOtherGraph) && { actor: ownerOf(ctx.actor, ctx.workspace.role) }),
    ...(actor !== undefined && { actor, owner_id: actor.id }),
    ...(isOtherGraph && { graph_version: row.graph_version + 1, trigger_plugin: graph.trigger.plugin_id }),
  }
  if (Object.entries(wanted).every(([name, value]) => isDeepStrictEqual(value, memberOf(row, name)))) return workflow
  const changed: WorkflowRow = {
    ...row,
    ...wanted,
    version: row.version + 1,
    updated_at: Math.max(ctx.now, row.updated_at),
    updated_by: actorId(ctx.actor),
  }
  const { id, ...changes } = changed
  await updateWorkflow(ctx.tx, ctx.workspace.workspaceId, id, changes)
  if (isOtherGraph) await addVersion(ctx, changed, graph)
  await tell(ctx, 'workflow.updated', id)
  const result = { row: changed, graph }
  if (changed.enabled && (isEnabling || isOtherGraph)) await begin(ctx, parts, result)
  return result
}

/**
 * Returns whether the one as whom an enabled workflow runs may do so no more, and the server is about to stop it: to
 * enable it is to take it over then.
 */
async function isOrphan({ tx, workspace: { workspaceId }, clockNow: now }: WriteContext, { actor }: WorkflowRow) {
  return 'stopped' in (await standingOf(tx, { workspaceId, now }, actingAs(actor, workspaceId)))
}

/** Returns whether a workflow runs after a change: enabling publishes it, and a draft does not run. */
function stateOf(
  { now }: WriteContext,
  row: WorkflowRow,
  { enabled = row.enabled, published_at }: Attributes,
): Pick<WorkflowRow, 'enabled' | 'published_at' | 'stopped_reason'> {
  const publishedAt =
    published_at === undefined ? row.published_at : published_at === null ? null : Date.parse(published_at)
  const isOn = enabled && published_at !== null
  return {
    enabled: isOn,
    published_at: isOn ? (publishedAt ?? now) : publishedAt,
    stopped_reason: isOn ? null : row.stopped_reason,
  }
}

/** Deletes a workflow for good; a job removes its versions and runs. */
export async function removeWorkflow(ctx: WriteContext, id: string): Promise<void> {
  await requireChangeable(ctx, id)
  const { workspaceId } = ctx.workspace
  await deleteWorkflow(ctx.tx, workspaceId, id)
  await enqueueRemoval(ctx.tx, workspaceId, id, ctx.clockNow)
  await tell(ctx, 'workflow.deleted', id)
}

/** From here on the events of the workspace are followed, and the schedule of the workflow is kept. */
async function begin(ctx: WriteContext, { kinds }: WorkflowParts, workflow: Workflow): Promise<void> {
  const { workspaceId } = ctx.workspace
  await startFollowing(ctx.tx, workspaceId, consumerName)
  await enqueueRelease(ctx.tx, workspaceId, workflow.row.id, ctx.clockNow)
  const at = { workspaceId, now: ctx.clockNow }
  await kindOf(kinds, workflow.row.type).enabled?.(ctx.tx, at, workflow.row.id)
  await beginHeartbeat(ctx.tx, workspaceId, workflow, ctx.clockNow)
}

const addVersion = (ctx: WriteContext, row: WorkflowRow, graph: WorkflowGraph): Promise<void> =>
  insertVersion(ctx.tx, ctx.workspace.workspaceId, {
    workflow_id: row.id,
    version: row.graph_version,
    graph,
    created_at: row.updated_at,
    created_by: row.updated_by,
  })

const tell = (
  ctx: WriteContext,
  type: 'workflow.created' | 'workflow.updated' | 'workflow.deleted',
  id: string,
): Promise<void> => ctx.emit([{ type, object: 'workflow', recordId: id, payload: {} }])

/** A node that says its id says its key. */
function requireOwnKeys(
  ctx: WriteContext,
  { trigger, blocks, exits }: Pick<WorkflowChange, 'trigger' | 'blocks' | 'exits'>,
  base: readonly string[],
): void {
  const look = (key: string, id: string | undefined, ...path: string[]) => {
    if (id === undefined || id === key) return
    const detail = `Must be "${key}", the key of the node.`
    throw ctx.fail('invalid_body', { detail, source: { pointer: pointer([...base, ...path, '_id']) } })
  }
  look('trigger', trigger?._id, 'trigger')
  for (const [key, node] of Object.entries(blocks ?? {})) look(key, node._id, 'blocks', key)
  for (const [key, node] of Object.entries(exits ?? {})) look(key, node._id, 'exits', key)
}
