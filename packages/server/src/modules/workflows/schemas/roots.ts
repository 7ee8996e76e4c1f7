import type { WorkflowGraph, WorkflowNode } from '@kontor/contract'
import { isRecord, isString, memberOf } from '../../../lib/guards.ts'
import type { ObjectModel } from '../../objects/index.ts'
import type { Objects } from '../plugins/plugin.ts'

/** What the paths to the fields of a record begin with, where it is known which object that record is of. */
export type Root = { readonly prefix: RegExp; readonly object: ObjectModel }

/** The records that a graph knows the objects of: that of its trigger, and what its blocks leave. */
export const rootsOf = ({ trigger, blocks }: WorkflowGraph, objects: Objects): Root[] => [
  ...triggerRoot(trigger.input, objects),
  ...Object.entries(blocks).flatMap(([key, node]) => blockRoots(key, node, objects)),
]

const named = (input: unknown, objects: Objects): ObjectModel[] => {
  const name = memberOf(input, 'object')
  const object = isString(name) ? objects.get(name) : undefined
  return object === undefined ? [] : [object]
}

export const triggerRoot = (input: WorkflowNode['input'], objects: Objects): Root[] =>
  named(input, objects).map((object) => ({ prefix: /^trigger\.state\.event\.object\.data\./, object }))

/** Keys of nodes consist of letters, digits, `_` and `-`, which mean themselves in a pattern. */
const blockRoots = (key: string, { input }: WorkflowNode, objects: Objects): Root[] => [
  ...named(input, objects).map((object) => ({
    prefix: new RegExp(`^${key}\\.state\\.output\\.(?:record|records\\.\\d+)\\.attributes\\.`),
    object,
  })),
  // What a block waited for is an event as triggers have it.
  ...named(isRecord(input['input']) ? input['input'] : undefined, objects).map((object) => ({
    prefix: new RegExp(`^${key}\\.state\\.output\\.event\\.object\\.data\\.`),
    object,
  })),
]
