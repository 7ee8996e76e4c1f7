import type { WorkflowGraph, WorkflowNode } from '@kontor/contract'
import { isRecord, isString, memberOf } from '../../lib/guards.ts'
import type { ObjectModel } from '../objects/index.ts'
import { relationshipState, type Objects, type Plugins } from '../plugins/index.ts'

/** Names that a path begins with; null is a place in a list. */
type Prefix = readonly (string | null)[]

/** The beginning of the paths to the fields of a record whose object is known. */
export type Root = {
  readonly prefix: Prefix
  readonly object: ObjectModel
  /** The path that stands for the name of a relationship of that object, where an event of links says it. */
  readonly relationship?: string
}

/** The records that a graph knows the objects of: that of its trigger, and what its blocks leave. */
export const rootsOf = ({ trigger, blocks }: WorkflowGraph, objects: Objects, plugins: Plugins): Root[] => [
  ...triggerRoot(trigger, objects, plugins),
  ...Object.entries(blocks).flatMap(([key, node]) => blockRoots(key, node, objects, plugins)),
]

const named = (input: unknown, objects: Objects): ObjectModel[] => {
  const name = memberOf(input, 'object')
  const object = isString(name) ? objects.get(name) : undefined
  return object === undefined ? [] : [object]
}

type Event = { readonly plugin_id?: unknown; readonly input?: unknown }

/** The record of an event that a node stands for, below a path to the event. */
function eventRoots(at: string, { plugin_id: id, input }: Event, objects: Objects, plugins: Plugins): Root[] {
  const isOfLinks = isString(id) && plugins.trigger(id)?.state === relationshipState
  return named(input, objects).map((object) => ({
    prefix: [...at.split('.'), 'object', 'data'],
    object,
    ...(isOfLinks && { relationship: `${at}.data.relationship` }),
  }))
}

export const triggerRoot = (node: WorkflowNode, objects: Objects, plugins: Plugins): Root[] =>
  eventRoots('trigger.state.event', node, objects, plugins)

const blockRoots = (key: string, { input }: WorkflowNode, objects: Objects, plugins: Plugins): Root[] => [
  ...named(input, objects).flatMap((object) => [
    { prefix: [key, 'state', 'output', 'record', 'attributes'], object },
    { prefix: [key, 'state', 'output', 'records', null, 'attributes'], object },
  ]),
  // A block that waited for an event has it in the form of triggers.
  ...(isRecord(input['input']) ? eventRoots(`${key}.state.output.event`, input, objects, plugins) : []),
]

/** The field that a path names, and what is before and below it. */
export function fieldAt(path: readonly string[], roots: readonly Root[]) {
  for (const { prefix, object } of roots) {
    const [name, ...below] = path.slice(prefix.length)
    const isBelow = name !== undefined && prefix.every((one, index) => fits(one, path[index]))
    if (isBelow) return { object, before: path.slice(0, prefix.length), name, below }
  }
  return undefined
}

const fits = (wanted: string | null, name: string | undefined): boolean =>
  wanted === null ? /^\d+$/.test(name ?? '') : wanted === name
