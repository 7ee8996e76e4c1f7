import { z } from 'zod'
import { domain } from './endpoint.ts'
import { page, pageQuery, sortColumn } from './paging.ts'
import { change } from './mutations.ts'
import { eventActor, id, localTimestamp, onBehalfOf, timestamp } from './shared.ts'

/** The kinds of activities of a record; a schema has the first three. */
export const activityTypes = [
  'svc:create',
  'svc:update',
  'svc:delete',
  'svc:restore',
  'svc:merge',
  'svc:set-relationship',
  'svc:unset-relationship',
  'svc:add-to-list',
  'svc:remove-from-list',
  'svc:grant-access',
  'svc:update-access',
  'svc:revoke-access',
  'comment:create',
  'comment:update',
  'comment:delete',
  'campaign:sent',
  'campaign:opened',
  'campaign:clicked',
  'campaign:replied',
  'campaign:bounced',
  'campaign:unsubscribed',
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
      entity: eventActor.shape.entity,
      source_id: z.string().nullable().meta({
        description: 'The API key, app or workflow that was used; null for an access token of the person.',
      }),
      on_behalf_of: onBehalfOf,
    }),
    object: z.object({ _id: id, anonymous_id: z.string().nullable(), entity: z.string(), diff: z.array(change) }),
    import_id: id.optional().meta({ description: 'The import that made the change; absent for other changes.' }),
  })
  .meta({ id: 'ActivityEvent' })

const activity = z
  .object({
    type: z.literal('activity'),
    id,
    attributes: z.object({
      _id: id,
      _created_at: timestamp.meta({ description: 'When its first event happened.' }),
      aggKey: z
        .string()
        .meta({ description: '`<entity>:<record_id>:<event_type>`; of a schema, its `$id` is in the middle.' }),
      data: z.array(event).meta({ description: 'Its events, oldest first.' }),
    }),
  })
  .meta({
    id: 'Activity',
    description: 'Events of one record or schema, type and actor that happened within a minute.',
  })

export type ActivityResource = z.infer<typeof activity>

/** Activities in a page, by default and at most (spec §8). */
export const activitiesPageMax = 500

/** The parameters of a feed. */
const feedQuery = () =>
  z.strictObject({
    ...pageQuery({ limitDefault: activitiesPageMax, limitMax: activitiesPageMax }),
    sortOrder: z.strictObject(sortColumn.shape).optional().meta({ description: 'By `_created_at`, the only column.' }),
    filter: z
      .strictObject({
        type: z.enum(activityTypes).optional().meta({ description: 'Activities of this type.' }),
        actor: id.optional().meta({ description: 'Activities of this user or key of the workspace.' }),
        since: localTimestamp.optional().meta({
          description:
            'Activities with an event at this instant or later. A time without a zone is read in the time zone of ' +
            'the workspace.',
          example: '2026-01-31T09:30:00.000Z',
        }),
      })
      .optional(),
  })

const feed = {
  method: 'GET',
  replica: true,
  caller: 'any',
  response: page(activity),
  errors: ['unknown_field', 'cursor_mismatch'],
} as const

const S = '/workspaces/{workspace}/schemas'

const ofSchemas =
  'The newest first. `object._id` is the `$id` of the schema. In a `diff`, a path is the field that ' +
  'was added, changed or removed. The empty path is the document itself, with its changed keywords, ' +
  'and under `order` the names of its fields if their order changed. A renamed field has ' +
  '`xSvcPrevName`.'

/** The history of records and schemas. */
export const activities = domain({
  list: {
    ...feed,
    path: '/workspaces/{workspace}/objects/{object}/records/{record}/activities',
    scope: 'records:read',
    summary: 'List the activities of a record',
    description:
      'Changes, comments and links, the newest first. Events of one type and actor within a minute are one activity.',
    query: feedQuery(),
  },
  listOfSchema: {
    ...feed,
    path: `${S}/{entity}/activities`,
    scope: 'schemas:read',
    summary: 'List the activities of an object schema',
    description: `Lists the changes of an object since it was created. ${ofSchemas}`,
    query: feedQuery(),
  },
  listOfSchemas: {
    ...feed,
    path: `${S}/activities`,
    scope: 'schemas:read',
    summary: 'List the activities of all object schemas',
    description: `Lists the changes of all objects, deleted ones included. ${ofSchemas}`,
    query: feedQuery(),
  },
})
