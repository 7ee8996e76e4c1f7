import { z } from 'zod'
import { contract, inputSchema, inWorkspace, isMutation, type Endpoint } from '@kontor/contract'
import type { Actor } from '../../../kernel/actor.ts'
import { holdsScopeSomewhere } from '../../../kernel/scopes.ts'
import type { ToolDefinition } from '../../workflows/index.ts'

/** An operation of the API that a language model may call. */
export type Tool = {
  /** `records.create`; a model knows it as `records_create`. */
  readonly operation: string
  readonly isMutation: boolean
  readonly takesDryRun: boolean
  readonly definition: ToolDefinition
}

/** Tools that a language model takes. */
const toolsMax = 128

/**
 * Whether an operation is one for agents: of a workspace, with a scope, answered at once, and without a secret in its
 * answer.
 */
const isForAgents = (endpoint: Endpoint): boolean =>
  inWorkspace(endpoint) &&
  endpoint.caller === 'any' &&
  endpoint.scope !== null &&
  endpoint.secret !== true &&
  endpoint.media === undefined

const isAllowed = (actor: Actor, { scope, recordScope }: Endpoint): boolean =>
  [scope, recordScope].every((one) => one === undefined || one === null || holdsScopeSomewhere(actor, one))

type Operation = readonly [name: string, endpoint: Endpoint]

/** All operations for agents, by the names that models know them by; each is described when it is first asked for. */
export class Toolbox {
  readonly #operations: ReadonlyMap<string, Operation>
  readonly #tools = new Map<string, Tool>()

  constructor() {
    const all = Object.entries(contract).flatMap(([domain, endpoints]) =>
      Object.entries<Endpoint>(endpoints).map(([key, endpoint]): Operation => [`${domain}.${key}`, endpoint]),
    )
    this.#operations = new Map(
      all.filter(([, endpoint]) => isForAgents(endpoint)).map((one) => [one[0].replace('.', '_'), one]),
    )
  }

  /** What an agent's scopes allow; each call is checked again when it is made. */
  toolsFor(actor: Actor): Tool[] {
    return [...this.#operations]
      .filter(([, [, endpoint]]) => isAllowed(actor, endpoint))
      .slice(0, toolsMax)
      .map(([name, operation]) => this.#tool(name, operation))
  }

  /** The tool of a name that a model has written, if it is one of this agent's. */
  find(actor: Actor, name: string): Tool | undefined {
    const operation = this.#operations.get(name)
    return operation !== undefined && isAllowed(actor, operation[1]) ? this.#tool(name, operation) : undefined
  }

  #tool(name: string, operation: Operation): Tool {
    const tool = this.#tools.get(name) ?? toolOf(name, ...operation)
    this.#tools.set(name, tool)
    return tool
  }
}

function toolOf(name: string, operation: string, endpoint: Endpoint): Tool {
  const { summary, description, query } = endpoint
  const input = inputSchema(endpoint).omit({ workspace: true })
  return {
    operation,
    isMutation: isMutation(endpoint),
    takesDryRun: query?.shape['dry_run'] !== undefined,
    definition: {
      type: 'function',
      function: {
        name,
        description: [summary, description].filter((text) => text !== undefined).join('. '),
        parameters: z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }),
      },
    },
  }
}
