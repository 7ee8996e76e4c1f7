import type { WorkflowGraph, WorkflowNode } from '@kontor/contract'
import { isList, isRecord, memberOf } from '../../lib/guards.ts'
import type { ObjectModel } from '../objects/index.ts'
import type { Objects, Plugins } from '../plugins/index.ts'
import { successorsOf } from './check-shape.ts'
import { triggerKey } from './graph.ts'
import type { Schema } from './json-types.ts'

/** The names that variables of a graph may use: for each node, the schemas of the outputs of others. */
export class Variables {
  readonly #graph: WorkflowGraph
  readonly #plugins: Plugins
  readonly #objects: Objects

  constructor(graph: WorkflowGraph, plugins: Plugins, objects: Objects) {
    this.#graph = graph
    this.#plugins = plugins
    this.#objects = objects
  }

  /** The schema of all that a node can name: the trigger, and every block that may have run before it. */
  schemaFor(key: string): Schema {
    const after = this.#after(key)
    const before = Object.entries(this.#graph.blocks).filter(([other]) => !after.has(other))
    return closed({
      [triggerKey]: closed({ state: this.#triggerState(this.#graph.trigger.plugin_id, this.#graph.trigger.input) }),
      ...Object.fromEntries(before.map(([other, node]) => [other, this.#blockState(node)])),
    })
  }

  /** A node, and all that can only run once it has run. */
  #after(key: string): Set<string> {
    const after = new Set<string>()
    const left = [key]
    for (let one = left.pop(); one !== undefined; one = left.pop()) {
      if (after.has(one)) continue
      after.add(one)
      const node = one === triggerKey ? this.#graph.trigger : this.#graph.blocks[one]
      if (node !== undefined) left.push(...successorsOf(node, this.#plugins))
    }
    return after
  }

  #blockState({ plugin_id, input }: WorkflowNode): Schema {
    const block = this.#plugins.block(plugin_id)
    const output = block === undefined ? {} : this.#plugins.outputSchema(block)
    const awaited = block?.awaits?.(input)
    const event = awaited && propertyOf(this.#triggerState(awaited.plugin, awaited.input), 'event')
    return closed({ state: closed({ output: event === undefined ? output : withProperty(output, 'event', event) }) })
  }

  #triggerState(plugin: string, input: WorkflowNode['input']): Schema {
    const trigger = this.#plugins.trigger(plugin)
    if (trigger === undefined) return {}
    const schema = this.#plugins.outputSchema(trigger)
    const object = this.#objects.get(String(input['object']))
    return object === undefined ? schema : withData(schema, dataSchema(object))
  }
}

const closed = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties,
  additionalProperties: false,
})

/** Members of `attributes` that every record has. */
const systemFields = ['_id', '_created_at', '_created_by', '_updated_at', '_updated_by', '_merged_ids']

const dataSchema = ({ attributes }: ObjectModel): Schema =>
  closed({
    ...Object.fromEntries(systemFields.map((name) => [name, {}])),
    ...Object.fromEntries(attributes.map(({ name, type }) => [name, fieldSchema(type.jsonTypes)])),
  })

/** Of values with members only their type is said: what a name or a collection consists of may grow. */
const fieldSchema = (types: readonly string[]): Schema => ({
  type: [...types],
  additionalProperties: true,
  ...(types.includes('array') && { items: {} }),
})

const propertyOf = (schema: Schema, name: string): Schema => {
  const found = memberOf(schema['properties'], name)
  return isRecord(found) ? found : {}
}

/** A schema in which a property is another. */
const withProperty = (schema: Schema, name: string, property: Schema): Schema => ({
  ...schema,
  properties: { ...(isRecord(schema['properties']) ? schema['properties'] : {}), [name]: property },
})

/** The state of a trigger, with the fields of its object as `event.object.data`. */
function withData(schema: Schema, data: Schema): Schema {
  const event = propertyOf(schema, 'event')
  const object = recordIn(propertyOf(event, 'object'))
  return withProperty(schema, 'event', withProperty(event, 'object', withProperty(object, 'data', data)))
}

/** The record of a trigger, where that may have none too. */
function recordIn(schema: Schema): Schema {
  const several = schema['anyOf']
  const found = isList(several) ? several.find((one) => memberOf(one, 'type') === 'object') : undefined
  return isRecord(found) ? found : schema
}
