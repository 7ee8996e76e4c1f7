import { z } from 'zod'
import { domain } from './endpoint.ts'
import { growingList } from './paging.ts'
import { empty, id, silentQuery, timestamp } from './shared.ts'

/** The kinds of notifications, each with its cause. */
export const notificationKinds = {
  comment: 'A record that they own, or have commented on, was commented on.',
  mention: 'A comment mentions them.',
  assignment: 'A field of a record names them as its owner or assignee.',
  share: 'A record, a list or all records of an object were shared with them.',
  webhook_failure: 'Every delivery of a webhook of theirs has failed for days, or the webhook was disabled.',
  webhook_recovery: 'A webhook of theirs that failed for days works again.',
  workflow_failure: 'A run of a workflow of theirs failed, or the server stopped the workflow.',
} as const

export type NotificationKind = keyof typeof notificationKinds

const kindNames = Object.keys(notificationKinds) as [NotificationKind, ...NotificationKind[]]

export const notificationKind = z.enum(kindNames).meta({
  description: Object.entries(notificationKinds)
    .map(([name, text]) => `\`${name}\`: ${text}`)
    .join(' '),
  example: 'mention',
})

/** Days after which notifications are deleted. */
export const notificationDaysMax = 90

const notification = z
  .object({
    type: z.literal('notification'),
    id,
    attributes: z.object({
      _id: id,
      kind: notificationKind,
      object: z.string().meta({
        description: 'Object of the record that it concerns; otherwise `list`, `schema`, `webhook` or `workflow`.',
        example: 'deal',
      }),
      record_id: id.meta({ description: 'The record, list, object, webhook or workflow that it is about.' }),
      record_name: z
        .string()
        .nullable()
        .meta({ description: 'The current name of the record; null if the caller may no longer see it.' }),
      comment_id: id.nullable(),
      run_id: id.nullable().meta({ description: 'The run of a workflow that failed.' }),
      actor: z.object({
        type: z.string().meta({ description: '`user`, `workspace-key`, `agent` or `workflow`.', example: 'user' }),
        id,
        name: z
          .string()
          .nullable()
          .meta({ description: 'The user who caused it; absent if they are no longer a member.' }),
      }),
      read_at: timestamp.nullable().meta({ description: 'null until it is marked as read.' }),
      _created_at: timestamp,
    }),
  })
  .meta({ id: 'InboxNotification' })

export type NotificationResource = z.infer<typeof notification>

export const digestTimes = ['off', 'daily', 'weekly'] as const

const preferences = {
  muted: z
    .array(notificationKind)
    .max(kindNames.length)
    .meta({ description: 'The kinds of notifications that are off.' }),
  digest: z.enum(digestTimes).meta({
    description: 'Frequency of e-mails with unread notifications; `weekly` is on Mondays. `off` by default.',
  }),
  digest_hour: z.int().min(0).max(23).meta({
    description: 'The hour at which they are sent, in the time zone of the workspace. 8 by default.',
    example: 8,
  }),
}

const preferencesResource = z
  .object({
    type: z.literal('notification-preferences'),
    id: id.meta({ description: 'The id of the person.' }),
    attributes: z.object({
      ...preferences,
      digest_available: z
        .boolean()
        .meta({ description: 'True if the installation sends e-mail and the address of the person is verified.' }),
    }),
  })
  .meta({ id: 'NotificationPreferences' })

export type NotificationPreferencesResource = z.infer<typeof preferencesResource>

const collection = '/workspaces/{workspace}/notifications'
const reading = { method: 'GET', caller: 'any', scope: 'notifications:read', errors: ['forbidden'] } as const
/** Viewers are notified too. */
const changing = {
  caller: 'any',
  scope: 'notifications:write',
  role: 'viewer',
  errors: ['forbidden'],
  query: z.strictObject(silentQuery),
} as const

const listed = growingList(notification, ['_created_at'], {
  filter: z
    .strictObject({
      read: z.boolean().optional().meta({ description: 'Only read, or only unread notifications.' }),
      kind: notificationKind.optional(),
    })
    .optional(),
})

/** The notifications of the caller, who acts as a person; otherwise this is 403. */
export const notifications = domain({
  list: {
    ...reading,
    ...listed,
    errors: [...listed.errors, 'forbidden'],
    path: collection,
    summary: 'List notifications',
    description:
      `The notifications of the caller, the newest first; kept for ${notificationDaysMax} days. With ` +
      '`filter[read]=false`, `meta.total_records` counts the unread ones. Changes with `silent=true` ' +
      'cause none.',
  },
  read: {
    ...changing,
    method: 'POST',
    path: `${collection}/read`,
    summary: 'Mark notifications as read',
    description: 'Marks the given notifications, or all of them. Ids of others, or of read ones, change nothing.',
    body: z.strictObject({
      items: z
        .union([z.literal('all'), z.array(id).min(1).max(1000)])
        .meta({ description: 'The ids of the notifications, or `all`.' }),
    }),
    response: empty,
    examples: { body: { items: 'all' } },
  },
  getPreferences: {
    ...reading,
    path: `${collection}/preferences`,
    summary: 'Get notification preferences',
    description: 'Returns the events that the caller is notified of, and by which channel.',
    response: z.object({ data: preferencesResource }),
  },
  updatePreferences: {
    ...changing,
    method: 'PATCH',
    path: `${collection}/preferences`,
    summary: 'Update notification preferences',
    description: 'Omitted attributes stay.',
    body: z.strictObject({
      data: z.strictObject({
        type: z.literal('notification-preferences'),
        attributes: z.strictObject(preferences).partial(),
      }),
    }),
    response: z.object({ data: preferencesResource }),
    examples: {
      body: { data: { type: 'notification-preferences', attributes: { muted: ['share'], digest: 'daily' } } },
    },
  },
})
