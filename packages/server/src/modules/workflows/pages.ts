import { workflows, operators, suggestion, type Input, type Operator } from '@kontor/contract'
import { emptyList } from '../../db/short-list.ts'
import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { shortPage } from '../../kernel/short-page.ts'
import {
  kindOf,
  requireWorkflow,
  presentVersion,
  presentWorkflow,
  listVersions,
  workflowsAmong,
  workflowSorting,
} from '../definitions/index.ts'
import type { WorkflowKind, WorkflowKinds } from '../runs/index.ts'
import type { WorkflowParts } from './service.ts'
import { fold } from '../../db/fold.ts'
import { isOneOf, isString } from '../../lib/guards.ts'
import { fieldTypes } from '../fields/index.ts'

type Context = WorkspaceReadContext<'unknown_field'>

export async function pageOfWorkflows(
  ctx: WorkspaceReadContext<'unknown_field' | 'unknown_operator'>,
  kinds: WorkflowKinds,
  input: Input<typeof workflows.list>,
) {
  const { trigger, owner_id, name, ...others } = input.filter ?? {}
  const equal = Object.fromEntries(
    Object.entries({ ...others, trigger_plugin: trigger, owner_id }).filter(([, value]) => value !== undefined),
  )
  const sought = {
    workspaceId: ctx.workspace.workspaceId,
    equal,
    search: input.search,
    names: nameConditions(ctx, name),
    ...(others.type === undefined && { typesLeftOut: kinds.filter(isApart).map(({ type }) => type) }),
  }
  // An invalid id owns nothing.
  const read = owner_id !== undefined && !isId(owner_id) ? emptyList : workflowsAmong(sought)
  const { rows, ...envelope } = await shortPage(ctx, workflows.list, input, { ...workflowSorting, read })
  return { data: rows.map((workflow) => presentWorkflow(ctx, kinds, workflow)), ...envelope }
}

export async function pageOfVersions(ctx: Context, kinds: WorkflowKinds, input: Input<typeof workflows.listVersions>) {
  const { id } = input
  const { row } = await requireWorkflow(ctx, id)
  const { rows, ...envelope } = await shortPage(ctx, workflows.listVersions, input, {
    columns: { version: 'version' },
    otherwise: { column: 'version', descending: true },
    read: async (tx, { descending }, slice) => ({
      rows: await listVersions(tx, ctx.workspace.workspaceId, id, descending, slice),
      total: row.graph_version,
    }),
  })
  return { data: rows.map((version) => presentVersion(ctx, kindOf(kinds, row.type), version)), ...envelope }
}

export async function pageOfPlugins(
  ctx: Context,
  { plugins, kinds }: WorkflowParts,
  input: Input<typeof workflows.listPlugins>,
) {
  // Graphs of kinds with operations of their own are made by those.
  const nameable = plugins
    .list()
    .filter(({ attributes: { workflow_types: types } }) => types.some((type) => !isApart(kindOf(kinds, type))))
  const all = nameable.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const { rows, ...envelope } = await shortPage(ctx, workflows.listPlugins, input, {
    columns: { id: 'id' },
    otherwise: { column: 'id', descending: false },
    read: (_tx, { descending }, { offset, rows: limit }) => {
      const ordered = descending ? all.toReversed() : all
      return Promise.resolve({ rows: ordered.slice(offset, offset + limit), total: all.length })
    },
  })
  return { data: [...rows], ...envelope }
}

const isApart = ({ ownOperations }: WorkflowKind): boolean => ownOperations !== undefined

/** A condition on the name of a workflow. */
type NameCondition = { readonly op: Operator; readonly value: string }

/** The conditions of `filter[name]`, which has the operators of text fields; without one it is `Is`. */
function nameConditions(
  ctx: WorkspaceReadContext<'unknown_operator'>,
  given: string | Readonly<Record<string, string>> | undefined,
): NameCondition[] {
  const allowed = fieldTypes.text.operators
  return Object.entries(isString(given) ? { '': given } : (given ?? {})).map(([name, value]) => {
    const asked = name === '' ? 'Is' : name
    const op = allowed.find((one) => one === asked) ?? allowed.find((one) => isOneOf<string>(operators[one], asked))
    if (op !== undefined) return { op, value: fold(value) }
    throw ctx.fail('unknown_operator', {
      detail: `"name" has no operator "${name.slice(0, 64)}".${suggestion(name, allowed)}`,
      source: { parameter: `filter[name][${name}]` },
      meta: { allowed: [...allowed] },
    })
  })
}
