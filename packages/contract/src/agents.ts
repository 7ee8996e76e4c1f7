import { z } from 'zod'
import { agentChange, agentResource, newAgent } from './agent.ts'
import { agentUndo } from './agent-undo.ts'
import { addressAnswer } from './automation-address.ts'
import { domain } from './endpoint.ts'
import { exampleIds } from './example-ids.ts'
import { nameSearch, shortList } from './paging.ts'
import { empty, id, silentQuery, wrappedOrBare } from './shared.ts'
import { runList, workflowRun } from './workflow-run.ts'
import { newRun, newRunQuery } from './workflow-runs.ts'

/** Columns that agents are sorted by. */
export const agentSortColumns = ['name', '_created_at', '_updated_at'] as const

const answer = z.object({ data: agentResource }).meta({ id: 'AgentAnswer' })
const undoAnswer = z.object({ data: agentUndo }).meta({ id: 'AgentUndoAnswer' })
const runAnswer = z.object({ data: workflowRun }).meta({ id: 'AgentRunAnswer' })

const collection = '/workspaces/{workspace}/agents'
const one = `${collection}/{agentId}` as const
const runs = `${one}/runs` as const
const run = `${runs}/{runId}` as const

const code = 'export const handler = (input) => ({ total: input.amounts.reduce((a, b) => a + b, 0) })'

/** Decisions §12: programs and language models that act for their owners, as workflow runs. */
export const agents = domain({
  list: {
    method: 'GET',
    path: collection,
    caller: 'any',
    scope: 'agents:read',
    summary: 'List agents',
    description: 'Oldest first unless sorted.',
    ...shortList(agentResource, agentSortColumns, {
      filter: z
        .strictObject({
          enabled: z.boolean().optional().meta({ description: 'Enabled ones, or those that are not.' }),
          owner_id: id.optional().meta({ description: 'Agents that run as this user or key.' }),
        })
        .optional(),
      ...nameSearch,
    }),
  },
  create: {
    method: 'POST',
    path: collection,
    caller: 'any',
    scope: 'agents:write',
    status: 201,
    versioned: true,
    emits: ['workflow.created'],
    summary: 'Create an agent',
    description:
      'An agent is a workflow of type `agent`, and both have one id. It runs its code, or the language model of the ' +
      'installation with the operations of this API that its scopes allow as tools. It acts for its creator and may ' +
      'never do more than they may at that moment. What it writes has `actor.entity` `agent`.',
    query: z.strictObject(silentQuery),
    body: wrappedOrBare('agent', newAgent),
    response: answer,
    examples: { body: { name: 'Add up', code, enabled: true } },
  },
  get: {
    method: 'GET',
    path: one,
    caller: 'any',
    scope: 'agents:read',
    versioned: true,
    summary: 'Get an agent',
    description: 'Its instructions or its code, and its budgets.',
    response: answer,
  },
  update: {
    method: 'PATCH',
    path: one,
    caller: 'any',
    scope: 'agents:write',
    versioned: true,
    emits: ['workflow.updated'],
    summary: 'Update an agent',
    description:
      'Only the attributes that are present change. What it does and what it may do, its owner alone says; an admin ' +
      'may rename it, disable it, and take it over with `owner_id`. Disabling it ends the runs that go on.',
    query: z.strictObject(silentQuery),
    body: wrappedOrBare('agent', agentChange),
    response: answer,
    examples: { body: { budgets: { calls: 20 } } },
  },
  remove: {
    method: 'DELETE',
    path: one,
    caller: 'any',
    scope: 'agents:write',
    status: 202,
    versioned: true,
    emits: ['workflow.deleted'],
    summary: 'Delete an agent',
    description: 'With its runs, for good; what it wrote stays. Needs its owner or an admin.',
    query: z.strictObject(silentQuery),
    response: empty,
  },
  getAddress: {
    method: 'GET',
    path: `${one}/address`,
    caller: 'any',
    scope: 'agents:read',
    summary: 'Get the address of an agent',
    description:
      'Where other programs send to it; the address is the credential. Until it has been replaced it ends in the id ' +
      'of the agent, which all may read who read what it wrote. Needs the owner of the agent or an admin.',
    response: addressAnswer,
    errors: ['forbidden'],
  },
  rotateAddress: {
    method: 'POST',
    path: `${one}/address/rotate`,
    caller: 'any',
    scope: 'agents:write',
    secret: true,
    summary: 'Replace the address of an agent',
    description:
      'By one that only its owner and admins can read; nothing is taken at the one before from then on, nor at the ' +
      'id of the agent. Needs the owner of the agent or an admin.',
    query: z.strictObject(silentQuery),
    response: addressAnswer,
  },
  listRuns: {
    method: 'GET',
    path: runs,
    caller: 'any',
    scope: 'agents:read',
    summary: 'List the runs of an agent',
    description:
      'The newest first unless sorted. Runs hold what the agent has read for its owner, so only the owner and admins ' +
      'see them.',
    ...runList,
  },
  run: {
    method: 'POST',
    path: runs,
    caller: 'any',
    scope: 'agents:run',
    recordScope: 'records:read',
    status: 201,
    summary: 'Run an agent',
    description:
      'For a record that the caller may see or for none, with any `data`. It goes on after the answer. Needs its ' +
      'owner or an admin.',
    query: newRunQuery,
    testRuns: true,
    body: newRun.prefault({}),
    response: runAnswer,
    errors: ['match_ambiguous'],
    examples: { body: { object: 'person', record_id: exampleIds.person, data: { question: 'What is next?' } } },
  },
  getRun: {
    method: 'GET',
    path: run,
    caller: 'any',
    scope: 'agents:read',
    summary: 'Get a run of an agent',
    description: 'With what the model said and each call that it made, as steps.',
    response: runAnswer,
    errors: ['forbidden'],
  },
  cancelRun: {
    method: 'POST',
    path: `${run}/cancel`,
    caller: 'any',
    scope: 'agents:run',
    emits: ['workflow.run_cancelled'],
    status: 200,
    summary: 'Cancel a run of an agent',
    description: 'What it has done stays done. A run that has ended is answered as it is.',
    query: z.strictObject(silentQuery),
    response: runAnswer,
  },
  undoRun: {
    method: 'POST',
    path: `${run}/undo`,
    caller: 'any',
    scope: 'agents:run',
    status: 202,
    summary: 'Undo a run of an agent',
    description:
      'Takes back what the run wrote, as the caller, the last change first; it goes on after the answer. Records ' +
      'that it created are deleted, those that it deleted are restored, fields get the values that they had, links, ' +
      'entries of lists and comments go. What has been changed since stays as it is, and is told as a conflict; so ' +
      'is what has no way back, such as a merge. A run is undone once: a second call answers how far it is. Needs ' +
      'the owner of the agent or an admin, and a run that has ended.',
    query: z.strictObject(silentQuery),
    response: undoAnswer,
    errors: ['run_state'],
  },
  getUndo: {
    method: 'GET',
    path: `${run}/undo`,
    caller: 'any',
    scope: 'agents:read',
    summary: 'Get how far a run was undone',
    description: 'Needs the owner of the agent or an admin.',
    response: undoAnswer,
    errors: ['forbidden'],
  },
})
