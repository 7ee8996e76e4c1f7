import { z } from 'zod'
import {
  agentBudgets,
  agentCodeMax,
  plainBudgets,
  agents,
  type AgentChange,
  type AgentResource,
  type WorkflowGraph,
} from '@kontor/contract'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { presenterOf } from '../../kernel/resource.ts'
import type { Workflow } from '../definitions/index.ts'
import { workspaceSchemas } from '../schemas/index.ts'

/** The task of an agent: the input of its one block. */
export const agentTask = z.strictObject({
  instructions: z.string(),
  code: z.string().min(1).max(agentCodeMax).nullable(),
  budgets: agentBudgets,
  model: z.string().nullable(),
  temperature: z.number().nullable(),
  // Agents that were made before it could be said have all that their scopes allow.
  tools: z.array(z.string()).nullable().default(null),
})

export type AgentTask = z.infer<typeof agentTask>

const plainTask: AgentTask = {
  instructions: '',
  code: null,
  budgets: plainBudgets,
  model: null,
  temperature: null,
  tools: null,
}

/** The plugin and the key of the block. */
export const agentPlugin = 'agent:run'
const blockKey = 'agent'

/** The task of a graph; a new agent has a plain one. */
export function taskOf(graph: WorkflowGraph | undefined): AgentTask {
  const parsed = agentTask.safeParse(graph?.blocks[blockKey]?.input)
  return parsed.success ? parsed.data : plainTask
}

/** A task with what a body says of it; what it does not name stays. */
export const changedTask = (before: AgentTask, change: AgentChange): AgentTask => ({
  instructions: change.instructions ?? before.instructions,
  code: change.code === undefined ? before.code : change.code,
  budgets: change.budgets ?? before.budgets,
  model: change.model === undefined ? before.model : change.model,
  temperature: change.temperature === undefined ? before.temperature : change.temperature,
  tools: change.tools === undefined ? before.tools : change.tools,
})

/** The graph of an agent: run by call or through its address, it does its task. */
export const graphOf = (task: AgentTask) => ({
  trigger: { plugin_id: 'on:manual:execution', next: blockKey },
  blocks: { [blockKey]: { plugin_id: agentPlugin, input: task, prev: 'trigger' } },
})

/** Returns what is wrong with a stage that agents are to know deals by; nothing where deals have no fixed stages. */
export async function dealStageFault(ctx: WorkspaceReadContext, stage: unknown): Promise<string | undefined> {
  const stages = (await workspaceSchemas(ctx)).get('deal')?.document.properties['stage']?.enum
  if (stages === undefined || stages.includes(stage)) return undefined
  return `Must be a stage of deals: ${stages.map(String).join(', ')}.`
}

const present = presenterOf(agents.get.response.shape.data)

export const presentAgent = ({ row, graph }: Workflow): AgentResource =>
  present(row, { ...taskOf(graph), scopes: [...row.actor.scopes], version: row.graph_version })
