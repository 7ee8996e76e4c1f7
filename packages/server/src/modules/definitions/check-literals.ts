import { isList, isRecord, isString } from '../../lib/guards.ts'
import type { WorkflowGraph } from '@kontor/contract'
import { isToMany, type ObjectModel } from '../objects/index.ts'
import { attributeFaults } from '../records/index.ts'
import { instantIn } from '../templates/index.ts'
import type { Objects, Plugins } from '../plugins/index.ts'
import type { GraphFault } from './graph.ts'

/** The operations of the blocks that write records. */
const writing = {
  'svc:create:record': 'create',
  'svc:update:record': 'update',
  'svc:upsert:record': 'upsert',
} as const

/** Finds what is literal in blocks and certainly wrong: what their operation would refuse in every run. */
export async function literalFaults(graph: WorkflowGraph, plugins: Plugins, objects: Objects): Promise<GraphFault[]> {
  const own = await Promise.all(
    Object.entries(graph.blocks).map(async ([key, { plugin_id, input }]) =>
      ((await plugins.block(plugin_id)?.literalFaults?.(input)) ?? []).map(inBlock(key)),
    ),
  )
  return [...own.flat(), ...writtenFaults(graph, objects)]
}

/** Finds what is literal and certainly wrong in the records that blocks write. */
export const writtenFaults = ({ blocks }: WorkflowGraph, objects: Objects): GraphFault[] =>
  Object.entries(blocks).flatMap(([key, { plugin_id, input }]) =>
    Object.hasOwn(writing, plugin_id)
      ? faultsOf(writing[plugin_id as keyof typeof writing], input, objects).map(inBlock(key))
      : [],
  )

const inBlock =
  (key: string) =>
  ({ path, detail }: GraphFault): GraphFault => ({ path: ['blocks', key, 'input', ...path], detail })

function faultsOf(
  how: (typeof writing)[keyof typeof writing],
  { object: name, attributes, match_on: matchOn }: Readonly<Record<string, unknown>>,
  objects: Objects,
): GraphFault[] {
  const object = isString(name) ? objects.get(name) : undefined
  if (object === undefined || !isRecord(attributes)) return []
  // A field that does not exist or cannot be written is reported with the names.
  const names = Object.keys(attributes).filter((one) => isWritable(object, one))
  const open = names.filter((one) => hasTemplate(attributes[one]))
  const known = Object.fromEntries(
    names
      .filter((one) => !open.includes(one))
      .map((one): [string, unknown] => [one, literalOf(object, one, attributes[one])]),
  )
  const faults = attributeFaults(object, { attributes: known, open, how })
  const isMatched = how !== 'upsert' || !isString(matchOn) || names.includes(matchOn)
  const isUnique = object.uniques.some((field) => field.name === matchOn)
  return [
    ...faults.map(({ path, detail }) => ({ path: ['attributes', ...path], detail })),
    ...(isUnique && !isMatched
      ? [{ path: ['attributes'], detail: `Must contain a value of "${matchOn}", by which records are found.` }]
      : []),
  ]
}

function isWritable(object: ObjectModel, name: string): boolean {
  const field = object.fields.get(name)
  return field !== undefined && !field.readOnly && !isToMany(field) && !name.startsWith('_')
}

/** A time without a zone is one of the workspace, whose form is checked here. */
const literalOf = (object: ObjectModel, name: string, value: unknown): unknown =>
  isString(value) && object.fields.get(name)?.type.name === 'timestamp' ? instantIn(value, 'utc') : value

/** Returns whether a value has text that only a run, or the reading of a template, makes what it is. */
function hasTemplate(value: unknown): boolean {
  if (isString(value)) return value.includes('{{')
  if (isList(value)) return value.some(hasTemplate)
  return isRecord(value) && Object.values(value).some(hasTemplate)
}
