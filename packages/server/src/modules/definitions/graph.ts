import type { RunLimits, WorkflowChange, WorkflowGraph, WorkflowNode, WorkflowNodeInput } from '@kontor/contract'
import { isRecord, isString } from '../../lib/guards.ts'

/** The key of the trigger among the nodes of a graph. */
export const triggerKey = 'trigger'

const nodeOf = (key: string, node: WorkflowNodeInput): WorkflowNode => ({
  _id: key,
  plugin_id: node.plugin_id,
  filters: node.filters ?? [],
  input: inputOf(node.input ?? {}),
  prev: node.prev ?? null,
  next: node.next ?? null,
})

type Input = WorkflowNode['input']

/** `entity` is another name of `object`, in the event that a block waits for as well; a contradiction stays. */
function inputOf({ entity, ...rest }: Input): Input {
  const { object = entity, input: inner } = rest
  return {
    ...(entity !== undefined && (isString(entity) && object === entity ? { object } : { entity })),
    ...rest,
    ...(isRecord(inner) && isString(rest['plugin_id']) && { input: inputOf(inner) }),
  }
}

const nodesOf = (nodes: Readonly<Record<string, WorkflowNodeInput>>): Record<string, WorkflowNode> =>
  Object.fromEntries(Object.entries(nodes).map(([key, node]) => [key, nodeOf(key, node)]))

const emptyGraph: WorkflowGraph = {
  trigger: nodeOf(triggerKey, { plugin_id: 'on:manual:execution' }),
  blocks: {},
  exits: {},
  run_limits: {},
}

type GivenGraph = Pick<WorkflowChange, keyof WorkflowGraph>

/** A graph with the parts that a body gives; what it does not name stays. A new one begins with a manual trigger. */
export const withParts = (
  graph: WorkflowGraph = emptyGraph,
  { trigger, blocks, exits, run_limits }: GivenGraph,
): WorkflowGraph => ({
  trigger: trigger === undefined ? graph.trigger : nodeOf(triggerKey, trigger),
  blocks: blocks === undefined ? graph.blocks : nodesOf(blocks),
  exits: exits === undefined ? graph.exits : nodesOf(exits),
  run_limits: run_limits === undefined ? graph.run_limits : limitsOf(run_limits),
})

/** null is no limit. */
const limitsOf = (given: NonNullable<GivenGraph['run_limits']>): RunLimits =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))

/** A fault of a graph: the path is from the attributes of the workflow. */
export type GraphFault = { readonly path: readonly (string | number)[]; readonly detail: string }

export type NodePath = readonly ['trigger'] | readonly ['blocks' | 'exits', string]

/** The name of a node in texts for people. */
export const nameOf = (path: NodePath): string => (path.length === 1 ? 'The trigger' : `The node "${path[1]}"`)
