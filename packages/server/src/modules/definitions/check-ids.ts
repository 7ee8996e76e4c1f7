import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { isList, isString } from '../../lib/guards.ts'
import type { GraphFault } from './graph.ts'
import { findWorkflow } from './store.ts'

type Ids = { readonly path: GraphFault['path']; readonly input: Readonly<Record<string, unknown>> }

/** A text that only the run completes is not checked. */
const isWrong = (value: unknown): boolean => isString(value) && !value.includes('{{') && !isId(value)

/** Finds literal ids in an input that are the id of nothing: of no record whatever, and of no workflow. */
export async function idFaults(ctx: WorkspaceReadContext, { path, input }: Ids): Promise<GraphFault[]> {
  const records = ['record_id', 'record_ids', 'ids'].flatMap((name) => {
    const value = input[name]
    const named = isList(value) ? value.map((one, index) => ({ at: [name, index], one })) : [{ at: [name], one: value }]
    return named
      .filter(({ one }) => isWrong(one))
      .map(({ at }) => ({
        path: [...path, ...at],
        detail: 'Must be the id of a record, or {"match": {"<unique field>": value}}.',
      }))
  })
  return [...records, ...(await workflowFaults(ctx, { path, input }))]
}

async function workflowFaults(ctx: WorkspaceReadContext, { path, input }: Ids): Promise<GraphFault[]> {
  const { workflow_id: id } = input
  if (!isString(id) || id.includes('{{')) return []
  if (isId(id) && (await findWorkflow(ctx.tx, ctx.workspace.workspaceId, id)) !== undefined) return []
  return [{ path: [...path, 'workflow_id'], detail: 'There is no workflow or campaign with this id.' }]
}
