import type { Input, workflows, workflowSortColumns } from '@kontor/contract'
import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { requestedOrder } from '../../kernel/requested-order.ts'
import { offsetEnvelope } from '../../lib/page-links.ts'
import { kindOf, requireWorkflow } from '../definitions/index.ts'
import { presentVersion, presentWorkflow } from '../definitions/index.ts'
import { countWorkflows, listVersions, listWorkflows, type WorkflowOrder } from '../definitions/index.ts'
import { nameConditions } from '../definitions/index.ts'
import type { WorkflowKind, WorkflowKinds } from '../runs/index.ts'
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
