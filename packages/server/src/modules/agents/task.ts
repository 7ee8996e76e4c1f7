import { z } from 'zod'
import { agentBudgets, agentCodeMax, plainBudgets, type AgentChange, type WorkflowGraph } from '@kontor/contract'

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
