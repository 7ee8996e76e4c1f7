import { z } from 'zod'
import { domain } from './endpoint.ts'
import { page, pageQuery, sortColumn } from './paging.ts'
import { change } from './records.ts'
import { id, timestamp } from './shared.ts'

/** What may happen to a record. */
export const activityTypes = [
  'svc:create', 'svc:update', 'svc:delete', 'svc:restore', 'svc:merge',
  'svc:set-relationship', 'svc:unset-relationship', 'svc:add-to-list', 'svc:remove-from-list',
  'svc:grant-access', 'svc:update-access', 'svc:revoke-access',
  'comment:create', 'comment:update', 'comment:delete',
] as const

export type ActivityType = (typeof activityTypes)[number]

const event = z
  .object({
    _id: id,
    _created_at: timestamp,
    type: z.string().meta({ example: 'svc:update' }),
    actor: z.object({
      _id: id,
      anonymous_id: z.string().nullable(),
      entity: z.string().meta({ description: '`user`, or `api-key` for a key of the workspace.' }),
      source_id: z.string().nullable().meta({ description: 'The API key that was used; null for an access token.' }),
    }),
    object: z.object({ _id: id, anonymous_id: z.string().nullable(), entity: z.string(), diff: z.array(change) }),
  })
  .meta({ id: 'Event' })

const activity = z
  .object({
    type: z.literal('activity'),
    id,
    attributes: z.object({
      _id: id,
      _created_at: timestamp.meta({ description: 'When its first event happened.' }),
      aggKey: z.string().meta({ description: '`<entity>:<record_id>:<event_type>`.' }),
      data: z.array(event).meta({ description: 'Its events, oldest first.' }),
    }),
  })
  .meta({ id: 'Activity', description: 'Events of one record, type and actor that happened within a minute.' })

export type ActivityResource = z.infer<typeof activity>

/** Activities in a page, by default and at most (spec §8). */
export const activitiesPageMax = 500

/** What happened to a record. */
export const activities = domain({
  list: {
    method: 'GET',
    path: '/workspaces/{workspace}/objects/{object}/records/{record}/activities',
    caller: 'any',
    scope: 'records:read',
    summary: 'List the activities of a record',
    description: 'Changes, comments and links, the newest first. Events of one type and actor within a minute are one activity.',
    query: z.strictObject({
      ...pageQuery({ limitDefault: activitiesPageMax, limitMax: activitiesPageMax }),
      sortOrder: z.strictObject(sortColumn.shape).optional().meta({ description: 'By `_created_at`, the only column.' }),
      filter: z
        .strictObject({
          type: z.enum(activityTypes).optional().meta({ description: 'Activities of this type.' }),
          actor: id.optional().meta({ description: 'Activities of this user or key of the workspace.' }),
          since: timestamp.optional().meta({ description: 'Activities with an event at this instant or later.' }),
        })
        .optional(),
    }),
    response: page(activity),
    errors: ['unknown_field', 'cursor_mismatch'],
  },
})
