import { z } from 'zod'
import { addressAnswer } from './automation-address.ts'
import { exampleIds } from './example-ids.ts'
import { domain } from './endpoint.ts'
import { change, mutationMeta, mutationQuery } from './mutations.ts'
import { nameFilter, nameSearch, shortList } from './paging.ts'
import { empty, id, silentQuery, wrappedOrBare } from './shared.ts'
import { secretOverlap } from './webhooks.ts'
import {
  newWorkflow,
  workflowChange,
  workflowPlugin,
  workflowResource,
  workflowSecret,
  workflowTypes,
  workflowVersion,
} from './workflow.ts'
import { runList, workflowRun, workflowRunStep } from './workflow-run.ts'
import { newRun, newRunQuery } from './workflow-runs.ts'

/** Columns that workflows are sorted by. */
export const workflowSortColumns = ['name', '_created_at', '_updated_at'] as const

/** Columns that the versions of a workflow are sorted by. */
export const workflowVersionSortColumns = ['version'] as const

const answer = z.object({ data: workflowResource }).meta({ id: 'WorkflowAnswer' })
const changeAnswer = z
  .object({ data: workflowResource, meta: mutationMeta.optional() })
  .meta({ id: 'WorkflowChangeAnswer' })
const runAnswer = z.object({ data: workflowRun }).meta({ id: 'WorkflowRunAnswer' })
const versionAnswer = z.object({ data: workflowVersion }).meta({ id: 'WorkflowVersionAnswer' })

const collection = '/workspaces/{workspace}/workflows'
const one = `${collection}/{id}` as const
const version = `${one}/versions/{version}` as const
const run = '/workspaces/{workspace}/workflow-runs/{id}'

const exampleGraph = {
  trigger: {
    plugin_id: 'on:svc:create:record',
    input: { object: 'deal' },
    filters: [{ field: 'state.event.object.data.amount', condition: { operator: 'Greater than', value: 10_000 } }],
    next: 'remind',
  },
  blocks: {
    remind: {
      plugin_id: 'svc:create:record',
      input: {
        object: 'task',
        attributes: {
          title: 'Call about {{trigger.state.event.object.data.name}}',
          deal_id: '{{trigger.state.event.object._id}}',
        },
      },
      prev: 'trigger',
      next: null,
    },
  },
}

/** Spec §2, §4: what happens by itself, and how it went. */
export const workflows = domain({
  list: {
    method: 'GET',
    path: collection,
    caller: 'any',
    scope: 'workflows:read',
    summary: 'List workflows',
    description:
      'Lists the workflows of the workspace, the oldest first unless sorted. Agents are only listed ' +
      'with `filter[type]=agent`.',
    ...shortList(workflowResource, workflowSortColumns, {
      filter: z
        .strictObject({
          name: nameFilter,
          enabled: z.boolean().optional().meta({ description: 'Only enabled ones, or only disabled ones.' }),
          type: z
            .enum(workflowTypes)
            .optional()
            .meta({ description: 'Workflows of this type; agents are only listed if requested.' }),
          trigger: z.string().min(1).max(100).optional().meta({
            description: 'Workflows with this plugin as their trigger.',
            example: 'on:svc:create:record',
          }),
          owner_id: id.optional().meta({ description: 'Workflows of this owner.' }),
        })
        .optional(),
      ...nameSearch,
    }),
    errors: ['unknown_field', 'unknown_operator'],
  },
  create: {
    method: 'POST',
    path: collection,
    caller: 'any',
    scope: 'workflows:write',
    status: 201,
    versioned: true,
    emits: ['workflow.created'],
    summary: 'Create a workflow',
    description:
      'It is a draft until it is enabled or published, and may be incomplete. It runs as the last person ' +
      'who enabled it or changed its graph, with the scopes of the credential that did so; a run in ' +
      'progress keeps its own.',
    query: mutationQuery,
    body: wrappedOrBare('workflow', newWorkflow),
    response: changeAnswer,
    examples: { body: { name: 'Welcome large deals', ...exampleGraph } },
  },
  get: {
    method: 'GET',
    path: one,
    caller: 'any',
    scope: 'workflows:read',
    versioned: true,
    summary: 'Get a workflow',
    description: 'Returns the current trigger and blocks, and the state of a workflow.',
    response: answer,
  },
  update: {
    method: 'PATCH',
    path: one,
    caller: 'any',
    scope: 'workflows:write',
    versioned: true,
    emits: ['workflow.updated'],
    summary: 'Update a workflow',
    description:
      'Only the attributes that you send change; `trigger`, `blocks`, `exits` and `run_limits` are each ' +
      'replaced completely, and together become a new version. Only its owner and admins may call it. A ' +
      'graph that is enabled or published is checked: one trigger, all blocks reachable, no loops, known ' +
      'plugins, inputs by their schemas, existing variables; each fault names its node. Enabling it, and ' +
      'any change of its graph, makes the caller the user it runs as. `runs=cancel` cancels the runs in ' +
      'progress when it is disabled.',
    query: mutationQuery.extend({
      runs: z
        .literal('cancel')
        .optional()
        .meta({ description: 'With a change after which it is disabled: ends its runs that have not ended yet.' }),
    }),
    body: z.union([
      z.strictObject({
        data: z.strictObject({ type: z.literal('workflow'), id: id.optional(), attributes: workflowChange }),
      }),
      workflowChange,
    ]),
    response: changeAnswer,
    examples: { body: { name: 'Welcome every customer', description: 'Offers a call.' } },
  },
  remove: {
    method: 'DELETE',
    path: one,
    caller: 'any',
    scope: 'workflows:write',
    status: 202,
    versioned: true,
    emits: ['workflow.deleted'],
    summary: 'Delete a workflow',
    description:
      'Deletes a workflow permanently, with its versions and runs. Runs in progress are cancelled. Only ' +
      'its owner and admins may call it.',
    query: z.strictObject(silentQuery),
    response: empty,
  },
  rotateSecret: {
    method: 'POST',
    path: `${one}/rotate-secret`,
    caller: 'any',
    scope: 'workflows:write',
    emits: ['workflow.secret_rotated'],
    status: 201,
    secret: true,
    summary: 'Rotate the secret of a workflow',
    description:
      'Its `webhook:send:outbound` blocks sign with this secret, according to Standard Webhooks; without ' +
      'a secret they do not sign. It is shown only once. The old secret also signs for `overlap_hours`: ' +
      'a receiver can use either. Only the owner of the workflow and admins may call it.',
    query: z.strictObject(silentQuery),
    body: secretOverlap,
    response: z.object({ data: workflowSecret }),
    examples: { body: { overlap_hours: 24 } },
  },
  getAddress: {
    method: 'GET',
    path: `${one}/address`,
    caller: 'any',
    scope: 'workflows:read',
    summary: 'Get the address of a workflow',
    description:
      'Returns the address for other programs, while the trigger is `on:svc:automation-webhook`; the ' +
      'address is the credential. The first address contains the id of the workflow, which every member can read: ' +
      'replace it before you use it. Only the owner of the workflow and admins may call it.',
    response: addressAnswer,
    errors: ['forbidden'],
  },
  rotateAddress: {
    method: 'POST',
    path: `${one}/address/rotate`,
    caller: 'any',
    scope: 'workflows:write',
    secret: true,
    summary: 'Replace the address of a workflow',
    description:
      'Replaces the address by one that only the owner and admins can read; the old address and the id ' +
      'of the workflow stop working. Only the owner of the workflow and admins may call it.',
    query: z.strictObject(silentQuery),
    response: addressAnswer,
  },
  listVersions: {
    method: 'GET',
    path: `${one}/versions`,
    caller: 'any',
    scope: 'workflows:read',
    summary: 'List the versions of a workflow',
    description: 'Lists the versions of a workflow, the newest first unless sorted.',
    ...shortList(workflowVersion, workflowVersionSortColumns, {}),
  },
  getVersion: {
    method: 'GET',
    path: version,
    caller: 'any',
    scope: 'workflows:read',
    summary: 'Get a version of a workflow',
    description: 'Returns the trigger and blocks of a version.',
    response: versionAnswer,
  },
  compareVersions: {
    method: 'GET',
    path: `${version}/diff`,
    caller: 'any',
    scope: 'workflows:read',
    summary: 'Compare two versions of a workflow',
    description: 'Returns the differences between the triggers and blocks of two versions, path by path.',
    query: z.strictObject({
      with: z.int().min(1).optional().meta({ description: 'The other version; by default the one before.' }),
    }),
    response: z
      .object({
        data: z.object({
          type: z.literal('workflow-diff'),
          id: z.string(),
          attributes: z.object({ from: z.int(), to: z.int(), diff: z.array(change) }),
        }),
      })
      .meta({ id: 'WorkflowDiffAnswer' }),
  },
  restoreVersion: {
    method: 'POST',
    path: `${version}/restore`,
    caller: 'any',
    scope: 'workflows:write',
    versioned: true,
    emits: ['workflow.updated'],
    summary: 'Restore a version of a workflow',
    description: 'Creates a new version with the graph of an old one. Only its owner and admins may call it.',
    query: z.strictObject(silentQuery),
    response: answer,
  },
  listRuns: {
    method: 'GET',
    path: `${one}/runs`,
    caller: 'any',
    scope: 'workflows:read',
    summary: 'List the runs of a workflow',
    description:
      'The newest first unless sorted. Runs contain data that was read as `acting_id`: admins see all ' +
      'runs; the owner and the user it runs as see those that ran as themselves.',
    ...runList,
  },
  run: {
    method: 'POST',
    path: `${one}/runs`,
    caller: 'any',
    scope: 'workflows:run',
    recordScope: 'records:read',
    status: 201,
    summary: 'Run a workflow',
    description:
      'Starts a run for a record that the caller may see, or for none. Drafts can have test runs ' +
      '(`dry_run`). Only the user it runs as and admins may call it, unless its trigger is ' +
      '`on:manual:execution` and it is enabled. A sequence always needs a person.',
    query: newRunQuery,
    testRuns: true,
    body: newRun.prefault({}),
    response: runAnswer,
    errors: ['match_ambiguous'],
    examples: { body: { object: 'person', record_id: exampleIds.person, dry_run: true } },
  },
  getRun: {
    method: 'GET',
    path: run,
    caller: 'any',
    scope: 'workflows:read',
    summary: 'Get a run',
    description:
      'Returns a run with the input, output, attempts and error of every step. Steps show their contents ' +
      'up to 1 MiB in total; get larger ones one by one. A credential sees contents only if its scopes ' +
      'cover the objects that the run has read.',
    response: runAnswer,
  },
  getRunStep: {
    method: 'GET',
    path: `${run}/steps/{number}`,
    caller: 'any',
    scope: 'workflows:read',
    summary: 'Get a step of a run',
    description: 'Returns a step with its complete input, output and logs.',
    response: z.object({ data: workflowRunStep }).meta({ id: 'WorkflowRunStepAnswer' }),
  },
  retryRun: {
    method: 'POST',
    path: `${run}/retry`,
    caller: 'any',
    scope: 'workflows:run',
    emits: ['workflow.run_retried'],
    status: 200,
    summary: 'Retry a run',
    description:
      'A failed or cancelled run continues with the step that failed, with its version and its user; or ' +
      'it starts again as a new run, with the current version and user.',
    query: z.strictObject(silentQuery),
    body: z.strictObject({ from: z.enum(['start', 'failed']) }),
    response: runAnswer,
    errors: ['run_state'],
    examples: { body: { from: 'failed' } },
  },
  resumeRun: {
    method: 'POST',
    path: `${run}/resume`,
    caller: 'any',
    scope: 'workflows:run',
    emits: ['workflow.run_resumed'],
    status: 200,
    summary: 'Resume a run',
    description:
      'A run that waits, or that would be retried later, continues immediately. A run that is in ' +
      'progress is returned unchanged.',
    query: z.strictObject(silentQuery),
    response: runAnswer,
    errors: ['run_state'],
  },
  cancelRun: {
    method: 'POST',
    path: `${run}/cancel`,
    caller: 'any',
    scope: 'workflows:run',
    emits: ['workflow.run_cancelled'],
    status: 200,
    summary: 'Cancel a run',
    description: 'Changes that the run has made stay. A run that has already ended is returned unchanged.',
    query: z.strictObject(silentQuery),
    response: runAnswer,
  },
  listPlugins: {
    method: 'GET',
    path: '/workspaces/{workspace}/workflow-plugins',
    caller: 'any',
    scope: 'workflows:read',
    summary: 'List workflow plugins',
    description: 'Lists the triggers, actions and exits, each with the schemas of its input and output.',
    ...shortList(workflowPlugin, ['id'], {}),
  },
})
