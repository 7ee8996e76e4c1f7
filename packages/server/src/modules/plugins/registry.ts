import { z } from 'zod'
import type { WorkflowPluginResource } from '@kontor/contract'
import { resource } from '../../kernel/resource.ts'
import type { Block, Trigger } from './plugin.ts'
import { triggers } from './triggers.ts'

/** All plugins that nodes may name. */
export class Plugins {
  readonly #triggers: ReadonlyMap<string, Trigger>
  readonly #blocks: ReadonlyMap<string, Block>
  readonly #inputs = new Map<z.ZodType, JsonSchema>()
  readonly #outputs = new Map<z.ZodType, JsonSchema>()
  /** The triggers that an event may stand for, by its type. */
  readonly #byEvent = new Map<string, readonly Trigger[]>()

  constructor(blocks: readonly Block[]) {
    this.#triggers = new Map(triggers.map((trigger) => [trigger.id, trigger]))
    this.#blocks = new Map(blocks.map((block) => [block.id, block]))
    for (const trigger of triggers)
      for (const type of trigger.events) this.#byEvent.set(type, [...this.ofEvent(type), trigger])
  }

  trigger(id: string): Trigger | undefined {
    return this.#triggers.get(id)
  }

  block(id: string): Block | undefined {
    return this.#blocks.get(id)
  }

  ofEvent(type: string): readonly Trigger[] {
    return this.#byEvent.get(type) ?? []
  }

  /** The ids of the plugins that a node may name at a place. */
  idsFor(place: 'trigger' | 'exit' | 'action'): string[] {
    if (place === 'action') return [...this.#blocks.keys()]
    return [...this.#triggers.values()].filter(({ places }) => places.includes(place)).map(({ id }) => id)
  }

  /** The input of a node, as JSON Schema. */
  inputSchema({ input }: Block | Trigger): JsonSchema {
    return once(this.#inputs, input, inputSchema)
  }

  /** Returns the schema of the output of a plugin, which variables can read. */
  outputSchema(plugin: Block | Trigger): JsonSchema {
    return once(this.#outputs, 'state' in plugin ? plugin.state : plugin.output, outputSchema)
  }

  list(): WorkflowPluginResource[] {
    return [...[...this.#triggers.values()].map(presentTrigger), ...[...this.#blocks.values()].map(presentBlock)]
  }
}

/** A graph of many nodes asks for the same schemas over and over, and to make one takes long. */
function once(known: Map<z.ZodType, JsonSchema>, type: z.ZodType, make: (type: z.ZodType) => JsonSchema): JsonSchema {
  const schema = known.get(type) ?? make(type)
  known.set(type, schema)
  return schema
}

type JsonSchema = Readonly<Record<string, unknown>>

const inputSchema = (type: z.ZodType): JsonSchema => z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' })

const outputSchema = (type: z.ZodType): JsonSchema => z.toJSONSchema(type, { io: 'output', unrepresentable: 'any' })

const presentTrigger = ({ id, title, description, types, places, input, state }: Trigger): WorkflowPluginResource =>
  resource('workflow-plugin', id, {
    title,
    description,
    kinds: [...places],
    workflow_types: [...types],
    available: true,
    input: inputSchema(input),
    output: outputSchema(state),
  })

const presentBlock = (block: Block): WorkflowPluginResource =>
  resource('workflow-plugin', block.id, {
    title: block.title,
    description: block.description,
    kinds: ['action'],
    workflow_types: [...block.types],
    available: block.isAvailable ?? true,
    input: inputSchema(block.input),
    output: outputSchema(block.output),
  })
