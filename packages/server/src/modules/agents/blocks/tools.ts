import { z } from 'zod'
import {
  agentToolsMax,
  contract,
  inputSchema,
  inWorkspace,
  isMutation,
  type Endpoint,
  type Scope,
} from '@kontor/contract'
import type { Actor } from '../../../kernel/actor.ts'
import { holdsScopeSomewhere } from '../../../kernel/authorise.ts'
import type { ToolDefinition } from '../../language-models/index.ts'

/** An operation of the API that a language model may call. */
export type Tool = {
  /** `records.create`; a model knows it as `records_create`. */
  readonly operation: string
  readonly isMutation: boolean
  readonly takesDryRun: boolean
  readonly definition: ToolDefinition
}

/** The domains that agents use most are offered first, where a model cannot be offered all. */
const domainsFirst: readonly string[] = ['records', 'resources', 'relationships', 'search', 'lists', 'comments']

/**
 * Returns whether an operation is one for agents: of a workspace, with a scope, answered at once, and without a secret
 * in its answer.
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

const placeOf = (domain: string): number => {
  const place = domainsFirst.indexOf(domain)
  return place < 0 ? domainsFirst.length : place
}

/** All operations for agents: those of what they work with most, then the others, in the order of the contract. */
const operations: ReadonlyMap<string, Endpoint> = new Map(
  Object.entries(contract)
    .toSorted(([a], [b]) => placeOf(a) - placeOf(b))
    .flatMap(([domain, endpoints]) =>
      Object.entries<Endpoint>(endpoints).map(([key, endpoint]): Operation => [`${domain}.${key}`, endpoint]),
    )
    .filter(([, endpoint]) => isForAgents(endpoint)),
)

/** Scopes that an operation takes; undefined for one that is not for agents. */
export function scopesOfTool(name: string): Scope[] | undefined {
  const endpoint = operations.get(name)
  return endpoint && [endpoint.scope, endpoint.recordScope].flatMap((scope) => scope ?? [])
}

/** All operations for agents, by the names that models know them by; each is described when it is first asked for. */
export class Toolbox {
  readonly #operations: ReadonlyMap<string, Operation>
  readonly #tools = new Map<string, Tool>()

  constructor() {
    this.#operations = new Map([...operations].map((one) => [one[0].replace('.', '_'), one]))
  }

  /**
   * Returns the tools that the scopes of an agent allow, of those that it names if it does, and how many exceed what a
   * model can take. Each call is checked again when it is made.
   */
  toolsFor(actor: Actor, named: ToolNames): { readonly offered: Tool[]; readonly leftOut: number } {
    const all = [...this.#operations].filter(([, operation]) => isOffered(actor, named, operation))
    const offered = all.slice(0, agentToolsMax)
    return {
      offered: offered.map(([name, operation]) => this.#tool(name, operation)),
      leftOut: all.length - offered.length,
    }
  }

  /** The tool of a name that a model has written, if it is one of this agent's. */
  find(actor: Actor, name: string, named: ToolNames): Tool | undefined {
    const operation = this.#operations.get(name)
    return operation !== undefined && isOffered(actor, named, operation) ? this.#tool(name, operation) : undefined
  }

  #tool(name: string, operation: Operation): Tool {
    const tool = this.#tools.get(name) ?? toolOf(name, ...operation)
    this.#tools.set(name, tool)
    return tool
  }
}

/** The operations that an agent names as its tools; null for all that its scopes allow. */
type ToolNames = readonly string[] | null

const isOffered = (actor: Actor, named: ToolNames, [name, endpoint]: Operation): boolean =>
  (named === null || named.includes(name)) && isAllowed(actor, endpoint)

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
