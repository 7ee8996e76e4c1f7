import { z } from 'zod'
import { growingList } from './paging.ts'
import { id, timestamp } from './shared.ts'
import { workflowStops } from './workflow.ts'

/** The states of a run that has started. */
export const begunStatuses = [
  'pending',
  'running',
  'waiting',
  'retrying',
  'held',
  'success',
  'failed',
  'cancelled',
] as const

export const runStatuses = [...begunStatuses, 'suppressed'] as const

export type RunStatus = (typeof runStatuses)[number]

/** Why a run that its trigger asked for did not begin. */
export const suppressions = [
  'own_write',
  'max_depth',
  'max_runs_per_record',
  'cooldown',
  'already_active',
  'enrolled_before',
  'suppressed',
  'no_email',
  'invalid_email',
  'duplicate_address',
  'deleted',
] as const

export type Suppression = (typeof suppressions)[number]

export const stepStatuses = ['success', 'failed', 'skipped', 'waiting', 'retrying', 'cancelled'] as const

export type StepStatus = (typeof stepStatuses)[number]

/** Columns that runs are sorted by. */
const runSortColumns = ['_created_at'] as const

const runError = z
  .object({
    code: z.string().meta({ description: 'An error code of the API, or of the block.', example: 'not_found' }),
    detail: z.string(),
    block_id: z.string().nullable().meta({ description: 'The block that failed.' }),
  })
  .meta({ id: 'WorkflowRunError' })

const attributes = {
  _id: id,
  workflow_id: id,
  workflow_version: z.int(),
  status: z.enum(runStatuses),
  dry_run: z
    .boolean()
    .meta({ description: 'True for a test run: its blocks only show the effects that they would have.' }),
  acting_id: id.meta({
    description: 'The user or workspace key it runs as: the `acting_id` of the workflow when the run began.',
  }),
  object: z.string().nullable().meta({ description: 'The object of the record that the run is for.', example: 'deal' }),
  record_id: id.nullable(),
  event_id: id.nullable().meta({ description: 'The event that started the run.' }),
  depth: z.int().meta({ description: 'Length of the chain of workflows that triggered one another up to this run.' }),
  current_block_id: z.string().nullable(),
  resume_at: timestamp.nullable().meta({ description: 'When it continues, if it waits.' }),
  exit_reason: z.string().nullable().meta({ description: 'The plugin of the exit that ended the run.' }),
  exit_block_id: z.string().nullable(),
  suppressed_reason: z.enum(suppressions).nullable(),
  held_reason: z
    .enum(workflowStops)
    .nullable()
    .meta({
      description:
        'Why a run is `held`: the person or key it acts for has left or may do less. It continues as the person who ' +
        'enables the workflow.',
    }),
  error: z.union([runError, z.null()]),
  started_at: timestamp.nullable(),
  ended_at: timestamp.nullable(),
  _created_at: timestamp,
  _updated_at: timestamp,
}

/** The part of what a run has read that is shown. */
const contents = (what: string) =>
  z.enum(['shown', 'too_large', 'withheld']).meta({
    description:
      `\`shown\`: ${what} in the response. \`too_large\`: the response would be too large; get the step itself. ` +
      '`withheld`: the scopes of your credential do not cover the data that the run has read.',
  })

const step = z
  .object({
    number: z.int().meta({ description: 'Its place among the steps of the run, from 0.' }),
    block_id: z.string(),
    plugin_id: z.string(),
    status: z.enum(stepStatuses).meta({
      description:
        '`cancelled`: the run was cancelled while this step was carried out, and may have done it; once it ends, the ' +
        'step shows how.',
    }),
    attempts: z.int(),
    input: z.unknown().optional().meta({ description: 'The input after its variables were filled in.' }),
    output: z.unknown().optional(),
    contents: contents('`input`, `output` and `logs` are'),
    error: z.union([runError, z.null()]),
    logs: z.array(z.string()).meta({ description: 'Console output of its code.' }),
    unresolved: z.array(z.string()).meta({
      description: 'Variables in its conditions that had no value: such a condition is false.',
      example: ['trigger.state.event.object.data.close_date'],
    }),
    started_at: timestamp,
    ended_at: timestamp.nullable(),
    duration_ms: z.int().nullable(),
  })
  .meta({ id: 'WorkflowRunStep' })

export type RunStepResource = z.infer<typeof step>

/** One step of a run, with all of its contents. */
export const workflowRunStep = z
  .object({ type: z.literal('workflow-run-step'), id: z.string(), attributes: step })
  .meta({ id: 'WorkflowRunStepItem' })

export type RunStepItem = z.infer<typeof workflowRunStep>

/** Which runs of a workflow are listed. */
const runFilter = z
  .strictObject({
    status: z.enum(runStatuses).optional().meta({ description: 'Runs with this status.' }),
    record_id: id.optional().meta({ description: 'Runs for this record.' }),
  })
  .optional()

/** A run as lists show it. */
export const runSummary = z
  .object({ type: z.literal('workflow-run'), id, attributes: z.object(attributes) })
  .meta({ id: 'WorkflowRunSummary' })

export type RunSummary = z.infer<typeof runSummary>

const listed = growingList(runSummary, runSortColumns, { filter: runFilter })

/** A list of runs; a caller who may not see what they did is refused. */
export const runList = { ...listed, errors: [...listed.errors, 'forbidden'] } as const

export const workflowRun = z
  .object({
    type: z.literal('workflow-run'),
    id,
    attributes: z.object({
      ...attributes,
      trigger: z
        .object({ plugin_id: z.string(), state: z.unknown().optional(), contents: contents('`state` is') })
        .meta({ description: 'The state of the trigger, which variables read as `{{trigger.state.…}}`.' }),
      progress: z
        .object({ block_id: z.string(), done: z.int(), total: z.int() })
        .nullable()
        .meta({ description: 'Number of items that a `general:for-each` has processed, while the run is in it.' }),
      steps: z.array(step).meta({ description: 'The last 1,000, in the order in which they ran.' }),
    }),
  })
  .meta({ id: 'WorkflowRun' })

export type RunResource = z.infer<typeof workflowRun>
