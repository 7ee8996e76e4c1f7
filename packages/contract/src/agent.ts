import { z } from 'zod'
import { scopeFault, scopePattern, scopes, type Scope } from './scopes.ts'
import { id, timestamp } from './shared.ts'
import { newWorkflow, workflowChange, workflowStops } from './workflow.ts'

/** Scopes that create something which acts by itself; an agent that was tricked into it could evade its limits. */
const lasting: ReadonlySet<string> = new Set<Scope>([
  'agents:write',
  'agents:run',
  'workflows:write',
  'campaigns:write',
  'webhooks:write',
])

/** A scope that an agent may have. */
export const isAgentScope = (scope: string): boolean => scopePattern.test(scope) && !lasting.has(scope)

const scopesOfAgents = scopes.filter(isAgentScope)

const agentScopes = z
  .array(z.string().refine(isAgentScope, { error: ({ input }) => scopeFault(input, scopesOfAgents) }))
  .max(100)
  .meta({
    description:
      'The scopes that limit it, in addition to the rights of its owner. Scopes that would let it create something ' +
      `that acts permanently are not allowed: ${[...lasting].map((scope) => `\`${scope}\``).join(', ')}.`,
    example: ['records:read', 'comments:write'],
  })

const limit = (max: number) => z.int().min(1).max(max)

/** Default limits of one run of an agent. */
const budgetsByDefault = { tokens: 200_000, calls: 100, minutes: 10 }

const budgetsInput = z
  .strictObject({
    tokens: limit(10_000_000)
      .default(budgetsByDefault.tokens)
      .meta({ description: 'Tokens of the language model, input and output.' }),
    calls: limit(1000)
      .default(budgetsByDefault.calls)
      .meta({ description: 'Calls of the API; of code also requests to others.' }),
    minutes: limit(1440)
      .default(budgetsByDefault.minutes)
      .meta({ description: 'Minutes that a run may take, waiting included.' }),
  })
  .meta({
    id: 'AgentBudgetsInput',
    description: 'Limits of one run, failed and repeated attempts included; if one is used up, the run fails.',
  })

export const agentBudgets = z
  .object({ tokens: z.int(), calls: z.int(), minutes: z.int() })
  .meta({ id: 'AgentBudgets', description: 'Limits of one run.' })

export type AgentBudgets = z.infer<typeof agentBudgets>

export const plainBudgets: AgentBudgets = budgetsByDefault

/** Characters of the code of an agent. */
export const agentCodeMax = 100_000

/** Tools that a language model takes. */
export const agentToolsMax = 128

const { name, description } = newWorkflow.shape

const given = {
  owner_id: id.optional().meta({
    description: 'The user it acts for: the caller. An agent cannot be made to act for someone else.',
  }),
  instructions: z
    .string()
    .max(50_000)
    .optional()
    .meta({ description: 'Instructions for the language model.', example: 'Sum up the notes of the person.' }),
  code: z
    .string()
    .min(1)
    .max(agentCodeMax)
    .nullable()
    .optional()
    .meta({
      description:
        'A module that exports `handler(input, {client, _, workflowContext})`, as the block `code:execute` takes it: ' +
        'it is run instead of a language model.',
    }),
  enabled: z.boolean().optional().meta({ description: 'True if it runs. By default false.' }),
  scopes: agentScopes.optional(),
  budgets: budgetsInput.optional(),
  model: z.string().min(1).max(200).nullable().optional().meta({
    description: 'Name of the language model; null for that of the installation.',
  }),
  temperature: z.number().min(0).max(2).nullable().optional().meta({
    description: 'Randomness of the model (temperature); null for its default.',
  }),
  tools: z
    .array(z.string().max(100))
    .min(1)
    .max(agentToolsMax)
    .nullable()
    .optional()
    .meta({
      description:
        'Operations that the model may call, such as `records.update`; its scopes have to allow each. null for all ' +
        `that they allow, of which a model is offered ${agentToolsMax}: those of records, links, lists and comments ` +
        'first. With fewer it chooses better, and is sent less.',
      example: ['resources.list', 'records.update'],
    }),
}

export const newAgent = z.strictObject({ name, description, ...given }).meta({ id: 'NewAgent' })

export type NewAgent = z.infer<typeof newAgent>

/** The read-only attributes of an agent, which may be sent back unchanged. */
const { _id, version, stopped_reason, _created_at, _created_by, _updated_at, _updated_by } = workflowChange.shape
const readBack = { _id, version, stopped_reason, _created_at, _created_by, _updated_at, _updated_by }

export const agentChange = z.strictObject({ name: name.optional(), description, ...given, ...readBack }).meta({
  id: 'AgentChange',
  description: 'Omitted attributes stay. Read-only attributes may be sent back unchanged.',
})

export type AgentChange = z.infer<typeof agentChange>

export const agentResource = z
  .object({
    type: z.literal('agent'),
    id: id.meta({ description: 'The id of the agent, and of its workflow.' }),
    attributes: z.object({
      _id: id,
      name: z.string(),
      description: z.string(),
      owner_id: id.meta({ description: 'The user or workspace key it runs as.' }),
      instructions: z.string(),
      code: z.string().nullable(),
      enabled: z.boolean(),
      scopes: z.array(z.string()).meta({ description: 'The scopes that limit it.' }),
      budgets: agentBudgets,
      model: z.string().nullable(),
      temperature: z.number().nullable(),
      tools: z.array(z.string()).nullable().meta({ description: 'Operations that the model may call.' }),
      version: z.int().meta({ description: 'Version of its task; a run keeps the version that it began with.' }),
      stopped_reason: z.enum(workflowStops).nullable().meta({ description: 'Why the server disabled it.' }),
      _created_at: timestamp,
      _created_by: id,
      _updated_at: timestamp,
      _updated_by: id,
    }),
  })
  .meta({ id: 'Agent' })

export type AgentResource = z.infer<typeof agentResource>
