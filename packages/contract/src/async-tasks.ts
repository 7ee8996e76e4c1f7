import { z } from 'zod'
import { domain } from './endpoint.ts'
import { growingList } from './paging.ts'
import { id, silentQuery, timestamp } from './shared.ts'

export const taskStates = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const

export type TaskState = (typeof taskStates)[number]

/** Why a task failed. */
export const taskErrorCodes = ['validation_failed', 'data_conflict', 'cancelled', 'timeout', 'internal'] as const

export type TaskErrorCode = (typeof taskErrorCodes)[number]

export const taskError = z
  .object({
    field: z.string(),
    reason: z.string().meta({ description: 'The reason, and the allowed values.', example: 'Must be at most 10.' }),
    count: z.int().meta({ description: 'Number of records with this fault.' }),
    sample_ids: z.array(id).meta({ description: 'Some of these records.' }),
  })
  .meta({ id: 'TaskError' })

export type TaskError = z.infer<typeof taskError>

/** Columns that tasks are sorted by. */
export const taskSortColumns = [
  'queued_at',
  'started_at',
  'completed_at',
  'failed_at',
  'progress',
  '_created_at',
  '_updated_at',
] as const

export const asyncTask = z
  .object({
    type: z.literal('async-task'),
    id,
    attributes: z.object({
      _id: id,
      user_id: id.meta({ description: 'The user or key that started it.' }),
      type: z.enum(['schema_modification', 'campaign_enrolment', 'import', 'export']),
      state: z.enum(taskStates).meta({ description: 'Follows from the times and the error code.' }),
      progress: z.int().meta({
        description: 'Completed steps: one for each record that was checked or row that was read, and one at the end.',
      }),
      total: z.int().nullable().meta({ description: 'Number of steps; null until they are counted.' }),
      metadata: z.object({
        entity: z.string().meta({
          description: 'The object that the task is about; `workspace` for an export of a whole workspace.',
          example: 'person',
        }),
        errors: z
          .array(taskError)
          .optional()
          .meta({ description: 'Reasons why the change cannot be made; only in a failed task.' }),
      }),
      queued_at: timestamp,
      started_at: timestamp.nullable(),
      completed_at: timestamp.nullable(),
      failed_at: timestamp.nullable(),
      error_code: z.enum(taskErrorCodes).nullable(),
      _created_at: timestamp,
      _updated_at: timestamp,
    }),
  })
  .meta({ id: 'AsyncTask', description: 'Work that continues after the response. Kept for 7 days.' })

export type AsyncTaskResource = z.infer<typeof asyncTask>

/** The answer of every endpoint that leaves work behind. */
export const taskAnswer = z.object({ data: asyncTask }).meta({ id: 'AsyncTaskAnswer' })

const collection = '/workspaces/{workspace}/async-tasks'

export const asyncTasks = domain({
  list: {
    method: 'GET',
    path: collection,
    caller: 'any',
    scope: 'schemas:read',
    summary: 'List async tasks',
    description: 'Lists the async tasks of the workspace, the newest first unless sorted.',
    ...growingList(asyncTask, taskSortColumns, {
      filter: z
        .strictObject({ state: z.enum(taskStates).optional().meta({ description: 'Tasks in this state.' }) })
        .optional(),
    }),
  },
  get: {
    method: 'GET',
    path: `${collection}/{id}`,
    caller: 'any',
    scope: 'schemas:read',
    summary: 'Get an async task',
    description: 'Returns the state and the progress of a task.',
    response: taskAnswer,
  },
  cancel: {
    method: 'POST',
    path: `${collection}/{id}/cancel`,
    caller: 'any',
    scope: 'schemas:write',
    role: 'admin',
    summary: 'Cancel an async task',
    description:
      'Stops a task and reverts its change completely. A task that has ended, or whose change is already taking ' +
      'effect, is returned unchanged.',
    query: z.strictObject(silentQuery),
    response: taskAnswer,
  },
})
