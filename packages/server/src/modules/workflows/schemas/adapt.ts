import { isDeepStrictEqual } from 'node:util'
import type { WorkflowGraph } from '@kontor/contract'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import type { DomainEvent } from '../../../kernel/events.ts'
import type { WorkspaceReadContext, WriteContext } from '../../../kernel/implement.ts'
import { listById } from '../../lists/index.ts'
import type { ObjectModel } from '../../objects/index.ts'
import { isRemoved, nameNow, objectNow, type SchemaChange } from '../../filters/index.ts'
import {
  findVersion,
  insertVersion,
  listAll,
  listEnabled,
  lockWorkflow,
  updateWorkflow,
  listIdsIn,
  rewriteGraph,
  type Workflow,
} from '../../definitions/index.ts'
import { stopWorkflow, type WorkflowServices } from '../../runs/index.ts'

type Author = {
  readonly workspaceId: string
  readonly userId: string
  readonly now: number
  readonly emit: (events: readonly DomainEvent[]) => Promise<void>
}

type Services = Pick<WorkflowServices, 'plugins' | 'kinds' | 'writeEvents'>

/**
 * Lets the graphs of workflows follow a schema change, in the transaction that puts it in force: as new versions, so
 * that runs keep those that they began with. Enabled workflows that name what is removed are disabled.
 */
export async function adaptWorkflows(services: Services, tx: Tx, author: Author, change: SchemaChange): Promise<void> {
  if (!concerns(change)) return
  const all = await listAll(tx, author.workspaceId)
  const gone = await listsGone(tx, author.workspaceId, all, change)
  for (const { row, graph } of all) {
    const { graph: adapted, isCut } = rewritten(services, change, gone, graph)
    if ((isCut && row.enabled) || !isDeepStrictEqual(adapted, graph))
      await adaptWorkflow(services, tx, author, { change, gone, id: row.id })
  }
}

async function adaptWorkflow(
  services: Services,
  tx: Tx,
  { workspaceId, userId, now, emit }: Author,
  { change, gone, id }: { readonly change: SchemaChange; readonly gone: ReadonlySet<string>; readonly id: string },
): Promise<void> {
  // Another change of the workflow may have come first.
  const found = await lockedWorkflow(tx, workspaceId, id)
  if (found === undefined) return
  const { row, graph } = found
  const { graph: adapted, isCut } = rewritten(services, change, gone, graph)
  if (!isDeepStrictEqual(adapted, graph)) {
    const updated = {
      version: row.version + 1,
      graph_version: row.graph_version + 1,
      updated_at: Math.max(now, row.updated_at),
      updated_by: userId,
    }
    await updateWorkflow(tx, workspaceId, id, updated)
    await insertVersion(tx, workspaceId, {
      workflow_id: id,
      version: updated.graph_version,
      graph: adapted,
      created_at: updated.updated_at,
      created_by: userId,
    })
    await emit([{ type: 'workflow.updated', object: 'workflow', recordId: id, payload: {} }])
  }
  if (isCut) await stopWorkflow(tx, services, { workspaceId, now }, { workflow: row, stopped: 'schema_changed' })
}

async function lockedWorkflow(tx: Tx, workspaceId: string, id: string): Promise<Workflow | undefined> {
  const row = await lockWorkflow(tx, workspaceId, id)
  const version = row && (await findVersion(tx, workspaceId, id, row.graph_version))
  return row && version && { row, graph: version.graph }
}

/** The enabled workflows that a schema change would disable; every member may see them. */
export async function workflowsBrokenBy(
  services: Pick<Services, 'plugins'>,
  { tx, workspace: { workspaceId } }: WorkspaceReadContext,
  change: SchemaChange,
): Promise<string[]> {
  if (!concerns(change)) return []
  const enabled = await listEnabled(tx, workspaceId)
  const gone = await listsGone(tx, workspaceId, enabled, change)
  return enabled
    .filter(({ graph }) => rewritten(services, change, gone, graph).isCut)
    .map(({ row }) => row.id)
    .toSorted()
}

/** A graph by the new names; it is cut, too, if it names a list that is gone. */
function rewritten(
  { plugins }: Pick<Services, 'plugins'>,
  change: SchemaChange,
  gone: ReadonlySet<string>,
  graph: WorkflowGraph,
): ReturnType<typeof rewriteGraph> {
  const { graph: adapted, isCut } = rewriteGraph(change, graph, plugins)
  return { graph: adapted, isCut: isCut || listIdsIn(graph).some((id) => gone.has(id)) }
}

/** The lists that some graphs name and that go with their object, or have gone. */
async function listsGone(
  tx: ReadTx,
  workspaceId: string,
  workflows: readonly Workflow[],
  { after }: SchemaChange,
): Promise<ReadonlySet<string>> {
  const named = [...new Set(workflows.flatMap(({ graph }) => listIdsIn(graph)))]
  const objects = new Set([...after.values()].map(({ key }) => key))
  const left = (await listById(tx, workspaceId, named)).filter(({ object }) => objects.has(object))
  return new Set(named.filter((id) => !left.some((list) => list.id === id)))
}

/** Disables the workflows that name a list, in the transaction that deletes it. */
export async function stopForList(
  services: Pick<Services, 'writeEvents' | 'kinds'>,
  { tx, workspace: { workspaceId }, now }: WriteContext,
  listId: string,
): Promise<void> {
  for (const { row, graph } of await listEnabled(tx, workspaceId))
    if (listIdsIn(graph).includes(listId))
      await stopWorkflow(tx, services, { workspaceId, now }, { workflow: row, stopped: 'schema_changed' })
}

/** Returns whether a change takes away, renames or changes anything that a graph may name or write: most only add. */
const concerns = (change: SchemaChange): boolean =>
  [...change.before.values()].some((object) => change.changed.has(object.name) && isCutOrOther(change, object))

function isCutOrOther(change: SchemaChange, object: ObjectModel): boolean {
  const after = objectNow(change, object)
  return (
    after === undefined ||
    Object.keys(change.clearing.get(object.key) ?? {}).length > 0 ||
    after.attributes.some((field) => field.required && object.fields.get(field.name)?.required !== true) ||
    [...object.fields.values()].some(
      (field) =>
        isRemoved(change, object, field) ||
        nameNow(change, object, field) !== field.name ||
        !isDeepStrictEqual(after.fields.get(field.name)?.schema, field.schema),
    )
  )
}
