import type { Input, workflows, workflowSortColumns } from '@kontor/contract'
import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { CursorPages } from '../../kernel/cursor-pages.ts'
import { requestedOrder } from '../../kernel/requested-order.ts'
import { narrowingOf } from '../../kernel/scopes.ts'
import { offsetEnvelope } from '../../lib/page-links.ts'
import { totalRecords } from '../counters/index.ts'
import { actingOf, kindOf, requireCharge, requireWorkflow } from '../definitions/index.ts'
import { presentVersion, presentWorkflow } from '../definitions/index.ts'
import { countWorkflows, findVersion, listVersions, listWorkflows, type WorkflowOrder } from '../definitions/index.ts'
import { nameConditions } from '../definitions/index.ts'
import { runsCounter, type WorkflowKind, type WorkflowKinds } from '../runs/index.ts'
import { maySeeContents } from '../runs/index.ts'
import { presentSummary } from '../runs/index.ts'
import { countRuns, listRuns, type RunSummaryRow } from '../runs/index.ts'
import type { WorkflowParts } from './service.ts'

type Context = WorkspaceReadContext<'unknown_field'>

const columns: Readonly<Record<(typeof workflowSortColumns)[number], WorkflowOrder['column']>> = {
  name: 'name',
  _created_at: 'created_at',
  _updated_at: 'updated_at',
}

const urlOf = ({ baseUrl }: Context, workspace: string, ...path: readonly string[]): string =>
  [`${baseUrl}/workspaces/${workspace}`, ...path].join('/')

export async function pageOfWorkflows(
  ctx: WorkspaceReadContext<'unknown_field' | 'unknown_operator'>,
  kinds: WorkflowKinds,
  { workspace, page, sortOrder, filter, search }: Input<typeof workflows.list>,
) {
  const { trigger, owner_id, name, ...others } = filter ?? {}
  const equal = Object.fromEntries(
    Object.entries({ ...others, trigger_plugin: trigger, owner_id }).filter(([, value]) => value !== undefined),
  )
  const sought = {
    workspaceId: ctx.workspace.workspaceId,
    equal,
    search,
    names: nameConditions(ctx, name),
    ...(others.type === undefined && { typesLeftOut: kinds.filter(isApart).map(({ type }) => type) }),
  }
  const order = requestedOrder(ctx, sortOrder, columns, { column: 'created_at', descending: false })
  // What is no id owns nothing.
  const isOfNoOne = owner_id !== undefined && !isId(owner_id)
  const [found, total] = isOfNoOne
    ? [[], 0]
    : await Promise.all([listWorkflows(ctx.tx, sought, order, page), countWorkflows(ctx.tx, sought)])
  return {
    data: found.map((workflow) => presentWorkflow(ctx, kinds, workflow)),
    ...offsetEnvelope(urlOf(ctx, workspace, 'workflows'), page, total, { sortOrder, filter, search }),
  }
}

export async function pageOfVersions(
  ctx: Context,
  kinds: WorkflowKinds,
  { workspace, id, page, sortOrder }: Input<typeof workflows.listVersions>,
) {
  const { row } = await requireWorkflow(ctx, id)
  const order = requestedOrder(ctx, sortOrder, { version: 'version' }, { column: 'version', descending: true })
  const found = await listVersions(ctx.tx, ctx.workspace.workspaceId, id, order.descending, page)
  const url = urlOf(ctx, workspace, 'workflows', id, 'versions')
  return {
    data: found.map((version) => presentVersion(ctx, kindOf(kinds, row.type), version)),
    ...offsetEnvelope(url, page, row.graph_version, { sortOrder }),
  }
}

/** A page of the runs of a workflow, for those who may see what it does. */
export async function pageOfRuns(
  ctx: WorkspaceReadContext<'unknown_field' | 'forbidden' | 'cursor_mismatch'>,
  kinds: WorkflowKinds,
  { workspace, id, page, sortOrder, filter }: Input<typeof workflows.listRuns>,
  collection = 'workflows',
) {
  const { row } = await requireWorkflow(ctx, id)
  requireCharge(ctx, row)
  const { workspaceId } = ctx.workspace
  const { descending } = requestedOrder(ctx, sortOrder, { _created_at: 'id' }, { column: 'id', descending: true })
  const { status, record_id: recordId } = filter ?? {}
  const sought = { workspaceId, workflowId: id, status, recordId, actingId: actingOf(ctx) }
  const isWhole = status === undefined && recordId === undefined && sought.actingId === undefined
  const isOfNone = recordId !== undefined && !isId(recordId)
  const url = urlOf(ctx, workspace, collection, id, 'runs')
  const pages = new CursorPages(ctx, page, { url, order: { column: 'id', descending }, query: { sortOrder, filter } })
  const [found, total] = isOfNone
    ? [[], 0]
    : await Promise.all([
        listRuns(ctx.tx, sought, descending, pages.part),
        isWhole ? totalRecords(ctx.tx, workspaceId, runsCounter(id)) : countRuns(ctx.tx, sought),
      ])
  const { rows, ...envelope } = pages.envelope(found, total, (run) => ({ value: run.id, id: run.id }))
  const isWithheld = await withheldRuns(ctx, kindOf(kinds, row.type), rows)
  return { data: rows.map((run) => presentSummary(run, isWithheld(run))), ...envelope }
}

/** Finds among runs of a workflow those that have read more than the credential of the caller covers. */
async function withheldRuns(
  { tx, actor, workspace: { workspaceId } }: Context,
  kind: WorkflowKind,
  runs: readonly RunSummaryRow[],
): Promise<(run: RunSummaryRow) => boolean> {
  // Only why one failed may tell what it has read.
  const failed = narrowingOf(actor) === undefined ? [] : runs.filter(({ failure }) => failure !== null)
  const numbers = [...new Set(failed.map(({ graph_version }) => graph_version))]
  const versions = await Promise.all(
    numbers.map((version) => findVersion(tx, workspaceId, failed[0]?.workflow_id ?? '', version)),
  )
  const graphs = new Map(versions.flatMap((one) => (one === undefined ? [] : [[one.version, one.graph] as const])))
  return (run) => {
    const graph = graphs.get(run.graph_version)
    return graph !== undefined && !maySeeContents(actor, run, { kind, graph }, workspaceId)
  }
}

export function pageOfPlugins(
  ctx: Context,
  { plugins, kinds }: WorkflowParts,
  { workspace, page, sortOrder }: Input<typeof workflows.listPlugins>,
) {
  const { descending } = requestedOrder(ctx, sortOrder, { id: 'id' }, { column: 'id', descending: false })
  // Graphs of kinds with operations of their own are made by those.
  const nameable = plugins
    .list()
    .filter(({ attributes: { workflow_types: types } }) => types.some((type) => !isApart(kindOf(kinds, type))))
  const all = nameable.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const ordered = descending ? all.toReversed() : all
  return {
    data: ordered.slice(page.offset, page.offset + page.limit),
    ...offsetEnvelope(urlOf(ctx, workspace, 'workflow-plugins'), page, all.length, { sortOrder }),
  }
}

const isApart = ({ ownOperations }: WorkflowKind): boolean => ownOperations !== undefined
