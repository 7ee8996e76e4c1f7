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
    description: 'Oldest first unless sorted. Agents are listed by `filter[type]=agent` alone.',
    ...shortList(workflowResource, workflowSortColumns, {
      filter: z
        .strictObject({
          name: nameFilter,
          enabled: z.boolean().optional().meta({ description: 'Enabled ones, or those that are not.' }),
          type: z
            .enum(workflowTypes)
            .optional()
            .meta({ description: 'Workflows of this type; agents are listed only where they are asked for.' }),
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
      'Bare, or as `{data: {type, attributes}}`. It is a draft until it is enabled or published, and may be ' +
      'unfinished. It runs as whoever last enabled it or changed its graph, with the scopes of the credential that ' +
      'did so; a run goes on as it began.',
    query: z.strictObject(silentQuery),
    body: wrappedOrBare('workflow', newWorkflow),
    response: answer,
    examples: { body: { name: 'Welcome large deals', ...exampleGraph } },
  },
  get: {
    method: 'GET',
    path: one,
    caller: 'any',
    scope: 'workflows:read',
    versioned: true,
    summary: 'Get a workflow',
    description: 'Its trigger and blocks as they are now, and whether it is enabled.',
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
      'Only the attributes that are present change; `trigger`, `blocks`, `exits` and `run_limits` are each ' +
      'replaced whole, and make a new version together. Needs its owner or an admin. A graph that is enabled or ' +
      'published is checked: one trigger, all blocks reachable, no circles, known plugins, inputs by their ' +
      'schemas, variables that exist; each fault names its node. Enabling it, and any change of its graph, makes the ' +
      'caller the one as whom it runs. `runs=cancel` ends the runs that go on, where it is disabled.',
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
    examples: { body: { name: 'Welcome every customer', description: 'Asks for a call.' } },
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
    description: 'With its versions and runs, for good. Runs that go on are cancelled. Needs its owner or an admin.',
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
      'Its `webhook:send:outbound` blocks sign with this secret, as Standard Webhooks says; until there is one they ' +
      'do not sign. It is shown once. The old one signs too for `overlap_hours`: a receiver takes either. Needs the ' +
      'owner of the workflow or an admin.',
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
      'Where other programs send to it, while its trigger is `on:svc:automation-webhook`; the address is the ' +
      'credential. Until it has been replaced it ends in the id of the workflow, which every member can read. Needs ' +
      'the owner of the workflow or an admin.',
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
      'By one that only its owner and admins can read; nothing is taken at the one before from then on, nor at the ' +
      'id of the workflow. Needs the owner of the workflow or an admin.',
    query: z.strictObject(silentQuery),
    response: addressAnswer,
  },
  listVersions: {
    method: 'GET',
    path: `${one}/versions`,
    caller: 'any',
    scope: 'workflows:read',
    summary: 'List the versions of a workflow',
    description: 'The newest first unless sorted.',
    ...shortList(workflowVersion, workflowVersionSortColumns, {}),
  },
  getVersion: {
    method: 'GET',
    path: version,
    caller: 'any',
    scope: 'workflows:read',
    summary: 'Get a version of a workflow',
    description: 'Its trigger and blocks as they were when this version was published.',
    response: versionAnswer,
  },
  compareVersions: {
    method: 'GET',
    path: `${version}/diff`,
    caller: 'any',
    scope: 'workflows:read',
    summary: 'Compare two versions of a workflow',
    description: 'What differs between the trigger and blocks of both, path by path.',
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
    description: 'Makes a new version with the graph of an old one. Needs its owner or an admin.',
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
      'The newest first unless sorted. Runs hold what was read as `acting_id`: admins see all of them, its owner and ' +
      'whom it runs as see those that ran as themselves.',
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
      'By hand, for a record that the caller may see or for none. A test run, `dry_run`, is possible for drafts ' +
      'too. Needs the one as whom it runs or an admin, unless its trigger is `on:manual:execution` and it is ' +
      'enabled. A sequence always needs them.',
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
      'With the input, output, attempts and error of every step. Steps show their contents up to 1 MiB together; get ' +
      'larger ones one by one. A credential sees contents only if its scopes cover the objects that the run has read.',
    response: runAnswer,
  },
  getRunStep: {
    method: 'GET',
    path: `${run}/steps/{number}`,
    caller: 'any',
    scope: 'workflows:read',
    summary: 'Get a step of a run',
    description: 'With all of its input, output and logs, however large they are.',
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
      'A run that failed or was cancelled goes on with the step that failed, by the version that it began with and ' +
      'as it ran; or it begins again from the start as a new run, by the version in force and as whom the workflow ' +
      'runs by now.',
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
      'A run that waits, or that is to be tried again later, goes on at once. One that goes on anyway is answered ' +
      'as it is.',
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
    description: 'What it has done stays done. A run that has ended is answered as it is.',
    query: z.strictObject(silentQuery),
    response: runAnswer,
  },
  listPlugins: {
    method: 'GET',
    path: '/workspaces/{workspace}/workflow-plugins',
    caller: 'any',
    scope: 'workflows:read',
    summary: 'List workflow plugins',
    description: 'Triggers, actions and exits, each with the schemas of its input and output.',
    ...shortList(workflowPlugin, ['id'], {}),
  },
})
