import { exampleIds } from '@kontor/contract'
import type { Stage } from './stage.ts'

/** An agent that plans a call with a person, a run of it that was cancelled and undone, and one that goes on. */
export async function makeAgents(stage: Stage): Promise<void> {
  const admin = stage.as('admin')
  stage.nextIds(exampleIds.agent)
  await admin('agents.create', { body: plansCalls })
  stage.nextIds(exampleIds.agentRun)
  const body = { object: 'person', record_id: exampleIds.person }
  await admin('agents.run', { agentId: exampleIds.agent, body })
  const run = { agentId: exampleIds.agent, runId: exampleIds.agentRun }
  await admin('agents.cancelRun', run)
  await admin('agents.undoRun', run)
  // This one goes on as soon as the server has started.
  await admin('agents.run', { agentId: exampleIds.agent, body })
}

const code = `export async function handler(input, { client, workflowContext }) {
  const { _id, entity } = workflowContext.trigger.event.object
  const person = await client.records.get(entity, _id)
  const { first_name } = person.data.attributes.name
  await client.records.createBulk('task', [{ title: \`Call \${first_name}\` }])
  return { planned: first_name }
}`

const plansCalls = {
  name: 'Plan calls',
  description: 'Makes a task to call the person that it is run for.',
  code,
  scopes: ['records:read', 'records:write:task'],
  budgets: { calls: 20, minutes: 5 },
  enabled: true,
}
