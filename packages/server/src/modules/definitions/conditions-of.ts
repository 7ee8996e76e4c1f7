import type { WorkflowGraph, WorkflowNode } from '@kontor/contract'
import type { Block, PlacedCondition, Trigger, Plugins } from '../plugins/index.ts'
import type { NodePath } from './graph.ts'

/** The filters of a node, and the conditions in the input of its plugin. */
export const placedConditions = (
  { filters, input }: WorkflowNode,
  plugin: Block | Trigger | undefined,
): PlacedCondition[] => [
  ...filters.map(({ field, condition: { operator, value } }, index) => {
    const at = ['filters', index]
    return {
      at,
      field,
      operator: { name: operator, at: [...at, 'condition', 'operator'] },
      value: { given: value, at: [...at, 'condition', 'value'] },
    }
  }),
  ...((plugin !== undefined && 'conditions' in plugin && plugin.conditions?.(input)) || []).map(
    ({ at, field, operator, value }) => ({
      at: ['input', ...at],
      field,
      operator: { ...operator, at: ['input', ...operator.at] },
      value: { ...value, at: ['input', ...value.at] },
    }),
  ),
]

type NodeCondition = { readonly path: NodePath; readonly node: WorkflowNode; readonly condition: PlacedCondition }

/** All conditions of a graph, with their nodes. */
export function conditionsOf({ trigger, blocks, exits }: WorkflowGraph, plugins: Plugins): NodeCondition[] {
  const nodes: [NodePath, WorkflowNode][] = [
    [['trigger'], trigger],
    ...Object.entries(blocks).map(([key, node]): [NodePath, WorkflowNode] => [['blocks', key], node]),
    ...Object.entries(exits).map(([key, node]): [NodePath, WorkflowNode] => [['exits', key], node]),
  ]
  return nodes.flatMap(([path, node]) => {
    const plugin = path[0] === 'blocks' ? plugins.block(node.plugin_id) : plugins.trigger(node.plugin_id)
    return placedConditions(node, plugin).map((condition) => ({ path, node, condition }))
  })
}
