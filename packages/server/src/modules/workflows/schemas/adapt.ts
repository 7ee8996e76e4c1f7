import { isDeepStrictEqual } from 'node:util'
import type { Tx } from '../../../db/tx.ts'
import type { DomainEvent } from '../../../kernel/events.ts'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import type { ObjectModel } from '../../objects/index.ts'
import { isRemoved, nameNow, type SchemaChange } from '../../query/index.ts'
import {
  findVersion,
  insertVersion,
  listAll,
  listEnabled,
  lockWorkflow,
  updateWorkflow,
  type Workflow,
} from '../definition/store.ts'
import { stopWorkflow } from '../runs/stop.ts'
import type { WorkflowServices } from '../services.ts'
import { rewriteGraph } from './rewrite-graph.ts'

type Author = {
  readonly workspaceId: string
  readonly userId: string
  readonly now: number
  readonly emit: (events: readonly DomainEvent[]) => Promise<void>
}

type Services = Pick<WorkflowServices, 'plugins' | 'writeEvents'>

/**
 * Lets the graphs of workflows follow a schema change, in the transaction that puts it in force: as new versions, so
 * that runs keep those that they began with. Enabled workflows that name what is removed are disabled.
 */
export async function adaptWorkflows(services: Services, tx: Tx, author: Author, change: SchemaChange): Promise<void> {
  if (!concernsNames(change)) return
  for (const { row, graph } of await listAll(tx, author.workspaceId)) {
    const { graph: adapted, isCut } = rewriteGraph(change, graph, services.plugins)
    if ((isCut && row.enabled) || !isDeepStrictEqual(adapted, graph))
      await adaptWorkflow(services, tx, author, change, row.id)
  }
}

async function adaptWorkflow(
  services: Services,
  tx: Tx,
  { workspaceId, userId, now, emit }: Author,
  change: SchemaChange,
  id: string,
): Promise<void> {
  // Another change of the workflow may have come first.
  const found = await lockedWorkflow(tx, workspaceId, id)
  if (found === undefined) return
  const { row, graph } = found
  const { graph: adapted, isCut } = rewriteGraph(change, graph, services.plugins)
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
  { plugins }: Pick<Services, 'plugins'>,
  { tx, workspace: { workspaceId } }: WorkspaceReadContext,
  change: SchemaChange,
): Promise<string[]> {
  if (!concernsNames(change)) return []
  return (await listEnabled(tx, workspaceId))
    .filter(({ graph }) => rewriteGraph(change, graph, plugins).isCut)
    .map(({ row }) => row.id)
    .toSorted()
}

/** Whether a change takes away or renames anything that a graph may name: most only add. */
const concernsNames = (change: SchemaChange): boolean =>
  [...change.before.values()].some((object) => change.changed.has(object.name) && losesNames(change, object))

const losesNames = (change: SchemaChange, object: ObjectModel): boolean =>
  Object.keys(change.clearing.get(object.key) ?? {}).length > 0 ||
  ![...change.after.values()].some(({ key }) => key === object.key) ||
  [...object.fields.values()].some(
    (field) => isRemoved(change, object, field) || nameNow(change, object, field) !== field.name,
  )
