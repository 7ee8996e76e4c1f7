import type { WorkflowGraph, WorkflowNode } from '@kontor/contract'
import { isList, isRecord } from '../../lib/guards.ts'
import type { Plugins } from '../plugins/index.ts'
import { nameOf, triggerKey, type GraphFault, type NodePath } from './graph.ts'

/** The keys of the blocks that a node may go on with. */
export function successorsOf({ plugin_id, input, next }: WorkflowNode, plugins: Plugins): string[] {
  const branches = plugins.block(plugin_id)?.branches?.(input) ?? []
  return [...new Set([...branches, ...(next === null ? [] : [next])])]
}

/** Checks how the nodes of a graph hang together: known ends, no circles, every block reachable, `prev` as it is. */
export function shapeFaults(graph: WorkflowGraph, plugins: Plugins): GraphFault[] {
  const nodes = new Map<string, WorkflowNode>([[triggerKey, graph.trigger], ...Object.entries(graph.blocks)])
  const roots = [triggerKey, ...Object.values(graph.exits).flatMap((exit) => exit.next ?? [])]
  const next = (key: string): string[] => {
    const node = nodes.get(key)
    return node === undefined ? [] : successorsOf(node, plugins).filter((one) => nodes.has(one))
  }
  const reached = reachable(roots, next)
  const unreached = Object.keys(graph.blocks).filter((key) => !reached.has(key))
  return [
    ...endFaults(graph, plugins),
    ...circleFaults([...nodes.keys()], next),
    ...unreached.map((key) => ({ path: ['blocks', key], detail: `No path leads from the trigger to "${key}".` })),
    ...previousFaults(graph, next),
  ]
}

/** Nodes that go on with a block that there is not, or whose ids are not their keys. */
function endFaults(graph: WorkflowGraph, plugins: Plugins): GraphFault[] {
  const faults: GraphFault[] = []
  const look = (path: NodePath, node: WorkflowNode) => {
    for (const key of successorsOf(node, plugins))
      if (!Object.hasOwn(graph.blocks, key))
        faults.push({
          path: [...path, ...(key === node.next ? ['next'] : ['input', ...(placeOf(node.input, key) ?? [])])],
          detail: `There is no block "${key}".`,
        })
  }
  look(['trigger'], graph.trigger)
  for (const [key, node] of Object.entries(graph.blocks)) look(['blocks', key], node)
  for (const [key, node] of Object.entries(graph.exits)) look(['exits', key], node)
  for (const key of Object.keys(graph.blocks))
    if (key === triggerKey || Object.hasOwn(graph.exits, key))
      faults.push({ path: ['blocks', key], detail: `Another node already has the key "${key}".` })
  return faults
}

/** The place at which an input leads to a block: a member `next` or `do`. */
function placeOf(input: unknown, key: string): GraphFault['path'] | undefined {
  const members: readonly (readonly [string | number, unknown])[] = isList(input)
    ? [...input.entries()]
    : isRecord(input)
      ? Object.entries(input)
      : []
  for (const [name, value] of members) {
    if (value === key && (name === 'next' || name === 'do')) return [name]
    const below = placeOf(value, key)
    if (below !== undefined) return [name, ...below]
  }
  return undefined
}

function reachable(roots: readonly string[], next: (key: string) => readonly string[]): Set<string> {
  const reached = new Set<string>()
  const left = [...roots]
  for (let key = left.pop(); key !== undefined; key = left.pop()) {
    if (reached.has(key)) continue
    reached.add(key)
    left.push(...next(key))
  }
  return reached
}

/** Blocks from which a path leads back to themselves: the first that each search comes to. */
function circleFaults(keys: readonly string[], next: (key: string) => readonly string[]): GraphFault[] {
  const done = new Set<string>()
  const faults: GraphFault[] = []
  const visit = (key: string, above: ReadonlySet<string>): void => {
    if (above.has(key)) {
      faults.push({ path: ['blocks', key], detail: `The blocks form a loop through "${key}".` })
      return
    }
    if (done.has(key)) return
    done.add(key)
    const below = new Set([...above, key])
    for (const one of next(key)) visit(one, below)
  }
  for (const key of keys) visit(key, new Set())
  return faults
}

/** `prev` may be left out; where it is given, it names a node that leads there. */
function previousFaults(graph: WorkflowGraph, next: (key: string) => readonly string[]): GraphFault[] {
  return Object.entries(graph.blocks).flatMap(([key, { prev }]) =>
    prev === null || next(prev).includes(key) || leadsFromExit(graph, prev, key)
      ? []
      : [{ path: ['blocks', key, 'prev'], detail: `${nameOf(['blocks', prev])} does not lead to "${key}".` }],
  )
}

const leadsFromExit = ({ exits }: WorkflowGraph, from: string, to: string): boolean =>
  Object.hasOwn(exits, from) && exits[from]?.next === to
