import { z } from 'zod'
import { agentChange, agentResource, newAgent } from './agent.ts'
import { agentUndo } from './agent-undo.ts'
import { addressAnswer } from './automation-address.ts'
import { domain } from './endpoint.ts'
import { exampleIds } from './example-ids.ts'
import { mutationMeta, mutationQuery } from './mutations.ts'
import { nameSearch, shortList } from './paging.ts'
import { empty, id, silentQuery, wrappedOrBare } from './shared.ts'
import { runList, workflowRun } from './workflow-run.ts'
import { newRun, newRunQuery } from './workflow-runs.ts'

/** Columns that agents are sorted by. */
export const agentSortColumns = ['name', '_created_at', '_updated_at'] as const

const answer = z.object({ data: agentResource }).meta({ id: 'AgentAnswer' })
const changeAnswer = z.object({ data: agentResource, meta: mutationMeta.optional() }).meta({ id: 'AgentChangeAnswer' })
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
    description: 'Lists the agents of the workspace, the oldest first unless sorted.',
    ...shortList(agentResource, agentSortColumns, {
      filter: z
        .strictObject({
          enabled: z.boolean().optional().meta({ description: 'Only enabled ones, or only disabled ones.' }),
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
      'An agent is a workflow of type `agent`; both have the same id. It runs its code, or the ' +
      'configured language model with the operations that its scopes allow as tools. It acts for its ' +
      'creator and can never do more than they may at that moment. Its changes have `actor.entity` ' +
      '`agent`.',
    query: mutationQuery,
    body: wrappedOrBare('agent', newAgent),
    response: changeAnswer,
    examples: { body: { name: 'Add up', code, enabled: true } },
  },
  get: {
    method: 'GET',
    path: one,
    caller: 'any',
    scope: 'agents:read',
    versioned: true,
    summary: 'Get an agent',
    description: 'Returns the instructions or the code of an agent, and its budgets.',
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
      'Only the attributes that you send change. Only its owner may change its task and its scopes; an ' +
      'admin may rename it, disable it, and take it over with `owner_id`. Disabling it cancels its runs.',
    query: mutationQuery,
    body: wrappedOrBare('agent', agentChange),
    response: changeAnswer,
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
    description:
      'Deletes an agent permanently, with its runs; everything it wrote stays. Only its owner and admins ' +
      'may call it.',
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
      'Returns the address for other programs; the address is the credential. The first address contains ' +
      'the id of the agent, which is visible in everything that the agent writes: replace it before you use it. ' +
      'Only the owner of the agent and admins may call it.',
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
      'Replaces the address by one that only the owner and admins can read; the old address and the id ' +
      'of the agent stop working. Only the owner of the agent and admins may call it.',
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
      'Lists the runs of an agent, the newest first unless sorted. Runs contain data that the agent has read ' +
      'for its owner, so only the owner and admins see them.',
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
      'Runs it for a record that the caller may see, or for none, with any `data`. The run continues ' +
      'after the response. Only its owner and admins may call it.',
    query: newRunQuery,
    testRuns: true,
    body: newRun.prefault({}),
    response: runAnswer,
    errors: ['match_ambiguous'],
    examples: {
      body: { object: 'person', record_id: exampleIds.person, data: { question: 'What should I do next?' } },
    },
  },
  getRun: {
    method: 'GET',
    path: run,
    caller: 'any',
    scope: 'agents:read',
    summary: 'Get a run of an agent',
    description: 'Returns the run with the messages of the model and each call that it made, as steps.',
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
    description: 'Changes that the run has made stay. A run that has already ended is returned unchanged.',
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
      'Reverts the changes of the run, as the caller, the last change first; it continues after the ' +
      'response. Created records are deleted, deleted records are restored, fields and shares get their old ' +
      'values, added links, entries of lists and comments are removed, and removed links and entries are added ' +
      'again. Values that were changed later are not ' +
      'reverted and are reported as conflicts, and so are changes that cannot be reverted, such as ' +
      'merges. A run can be undone once: a second call returns the progress. Only the owner of the agent ' +
      'and admins may call it, and only for a run that has ended.',
    query: z.strictObject(silentQuery),
    response: undoAnswer,
    errors: ['run_state'],
  },
  getUndo: {
    method: 'GET',
    path: `${run}/undo`,
    caller: 'any',
    scope: 'agents:read',
    summary: 'Get the progress of undoing a run',
    description: 'Only the owner of the agent and admins may call it.',
    response: undoAnswer,
    errors: ['forbidden'],
  },
})
