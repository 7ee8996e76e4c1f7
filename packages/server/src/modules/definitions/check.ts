import type { WorkflowGraph } from '@kontor/contract'
import { Failure } from '../../kernel/errors.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { memberOf } from '../../lib/guards.ts'
import { pointer } from '../../lib/pointers.ts'
import { listObjects } from '../objects/index.ts'
import type { Plugins } from '../plugins/index.ts'
import { conditionLiteralFaults } from './check-conditions.ts'
import { literalFaults } from './check-literals.ts'
import { nameFaults } from './check-names.ts'
import { nodeFaults, unknownMemberFaults } from './check-nodes.ts'
import type { GraphFault } from './graph.ts'
import { shapeFaults } from './check-shape.ts'
import type { WorkflowRow } from './store.ts'

/**
 * The attributes that a caller sent, and where they are in the body; or the parameter that asks for a graph that runs.
 */
export type SentAttributes = {
  readonly base: readonly string[]
  readonly attributes: object
  readonly parameter?: string | undefined
}

/** Attributes that ask for a graph that can run. */
const demands = ['enabled', 'published_at', 'dry_run'] as const

/** A graph that need not run yet, and what is stored of it. */
type Draft = { readonly stored: WorkflowGraph | undefined }

/**
 * Refuses a graph that cannot run: 422 with every fault, each with its node. A draft may, except for members that its
 * inputs do not have: they would be ignored.
 */
export async function requireRunnable(
  ctx: WorkspaceReadContext,
  plugins: Plugins,
  type: WorkflowRow['type'],
  graph: WorkflowGraph,
  sent: SentAttributes,
  draft?: Draft,
): Promise<void> {
  if (draft !== undefined) return requireKnownMembers(plugins, graph, sent, draft.stored)
  const objects = await listObjects(ctx)
  const faults = [
    ...shapeFaults(graph, plugins),
    ...(await nodeFaults(graph, type, plugins, objects)),
    ...(await nameFaults(ctx, graph, objects)),
    ...conditionLiteralFaults(graph, plugins, objects),
    ...(await literalFaults(graph, plugins, objects)),
  ]
  refuse(faults, sent)
}

/** Refuses unknown members in the parts that are sent; those that are stored already are left as they are. */
function requireKnownMembers(
  plugins: Plugins,
  graph: WorkflowGraph,
  sent: SentAttributes,
  stored?: WorkflowGraph,
): void {
  const isSent = ({ path: [part] }: GraphFault): boolean => memberOf(sent.attributes, String(part)) !== undefined
  const faults = unknownMemberFaults(graph, plugins).filter(isSent)
  if (faults.length === 0) return
  const before = stored === undefined ? [] : unknownMemberFaults(stored, plugins)
  const known = new Set(before.map(({ path }) => pointer(path)))
  refuse(
    faults.filter(({ path }) => !known.has(pointer(path))),
    sent,
  )
}

function refuse(faults: readonly GraphFault[], sent: SentAttributes): void {
  if (faults.length === 0) return
  throw new Failure(faults.map(({ path, detail }) => ({ code: 'invalid_body', detail, ...placeOf(path, sent) })))
}

/** Where a fault stands in the body; if in a part of the workflow that was not sent, what asks for that part to run. */
export function placeOf(path: GraphFault['path'], { base, attributes, parameter }: SentAttributes) {
  const [part, node] = path
  const isNode = part === 'blocks' || part === 'exits'
  const isSent = (name: string) => memberOf(attributes, name) !== undefined
  if (isSent(String(part)))
    return { source: { pointer: pointer([...base, ...path]) }, ...(isNode && { meta: { node } }) }
  const demand = demands.filter(isSent).slice(0, 1)
  return {
    source: parameter === undefined ? { pointer: pointer([...base, ...demand]) } : { parameter },
    meta: { ...(isNode && { node }), workflow: pointer(path) },
  }
}
