import { suggestionOrAllowed, type WorkflowGraph } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { isList, isRecord, isString } from '../../lib/guards.ts'
import { findVisibleList } from '../lists/index.ts'
import { relationshipFields, type ObjectModel } from '../objects/index.ts'
import { variablesIn } from '../templates/index.ts'
import type { Objects } from '../plugins/index.ts'
import { queryFaults } from './check-queries.ts'
import type { GraphFault } from './graph.ts'
import { isId } from '../../kernel/ids.ts'
import { findWorkflow } from './store.ts'

/** An input that names things of the workspace, and where it stands. */
type Naming = { readonly path: GraphFault['path']; readonly input: Readonly<Record<string, unknown>> }

/** Checks that what nodes name is there: objects and what belongs to them, and lists that the caller sees. */
export async function nameFaults(
  ctx: WorkspaceReadContext,
  graph: WorkflowGraph,
  objects: Objects,
): Promise<GraphFault[]> {
  const faults = await Promise.all(
    namingsIn(graph).map(async (naming) => {
      const { object: name } = naming.input
      const ofIds = await idFaults(ctx, naming)
      if (!isLiteral(name)) return [...ofIds, ...(await listFaults(ctx, naming, undefined))]
      const object = objects.get(name)
      if (object === undefined) return [...ofIds, unknownObject(naming, name, objects)]
      return [
        ...ofIds,
        ...fieldFaults(naming, object),
        ...(await queryFaults(ctx, naming, object)),
        ...(await listFaults(ctx, naming, object)),
      ]
    }),
  )
  return faults.flat()
}

const unknownObject = (naming: Naming, name: string, objects: Objects): GraphFault =>
  unknown(naming, ['object'], `There is no object "${name}" in this workspace.`, name, [...objects.keys()])

/** The inputs of all nodes, and of the triggers that blocks wait for. */
const namingsIn = ({ trigger, blocks, exits }: WorkflowGraph): Naming[] =>
  [
    { path: ['trigger', 'input'], input: trigger.input },
    ...Object.entries(blocks).map(([key, { input }]) => ({ path: ['blocks', key, 'input'], input })),
    ...Object.entries(exits).map(([key, { input }]) => ({ path: ['exits', key, 'input'], input })),
  ].flatMap(({ path, input }) =>
    isString(input['plugin_id']) && isRecord(input['input'])
      ? [{ path: [...path, 'input'], input: input['input'] }]
      : [{ path, input }],
  )

/** The ids of lists that a graph names. */
export const listIdsIn = (graph: WorkflowGraph): string[] =>
  namingsIn(graph).flatMap(({ input: { list_id: id } }) => (isLiteral(id) ? [id] : []))

/** A name that only the run can tell is not checked. */
const isLiteral = (name: unknown): name is string => isString(name) && variablesIn(name).length === 0

type NameHolder = { readonly name: string }

/** Faults of one node that are told: each looks for what was meant. */
const faultsMax = 100

/** Returns the faults of the fields, relationships and attributes that an input names. */
function fieldFaults(naming: Naming, object: ObjectModel): GraphFault[] {
  const { fields, relationship, attributes, match_on: unique } = naming.input
  const faults: GraphFault[] = []
  const look = (at: GraphFault['path'], name: unknown, known: readonly NameHolder[], what: string) => {
    if (faults.length >= faultsMax || !isLiteral(name) || known.some((one) => one.name === name)) return
    const names = known.map((one) => one.name)
    faults.push(unknown(naming, at, `${object.name} has no ${what} "${name}".`, name, names))
  }
  if (isList(fields)) fields.forEach((name, index) => look(['fields', index], name, object.attributes, 'attribute'))
  look(['relationship'], relationship, relationshipFields(object), 'relationship')
  look(['match_on'], unique, object.uniques, 'unique attribute')
  const writable = object.attributes.filter(({ readOnly }) => !readOnly)
  for (const name of Object.keys(isRecord(attributes) ? attributes : {}))
    look(['attributes', name], name, writable, 'writable attribute')
  return faults
}

async function listFaults(
  ctx: WorkspaceReadContext,
  naming: Naming,
  object: ObjectModel | undefined,
): Promise<GraphFault[]> {
  const { list_id: id } = naming.input
  if (!isLiteral(id) || (await findVisibleList(ctx, object?.key, id)) !== undefined) return []
  const what = object === undefined ? 'list' : `list of ${object.name} records`
  return [{ path: [...naming.path, 'list_id'], detail: `There is no ${what} with this id.` }]
}

const unknown = (
  { path }: Naming,
  at: GraphFault['path'],
  detail: string,
  name: string,
  known: readonly string[],
): GraphFault => ({ path: [...path, ...at], detail: `${detail}${suggestionOrAllowed(name, known)}` })

type Ids = { readonly path: GraphFault['path']; readonly input: Readonly<Record<string, unknown>> }

/** A text that only the run completes is not checked. */
const isWrong = (value: unknown): boolean => isString(value) && !value.includes('{{') && !isId(value)

/** Finds literal ids in an input that are the id of nothing: of no record whatever, and of no workflow. */
async function idFaults(ctx: WorkspaceReadContext, { path, input }: Ids): Promise<GraphFault[]> {
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
