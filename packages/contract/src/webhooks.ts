import { z } from 'zod'
import { domain } from './endpoint.ts'
import { filterTree } from './filters.ts'
import { growingList, shortList } from './paging.ts'
import { eventPattern } from './event-patterns.ts'
import { empty, id, silentQuery, timestamp, webhookDisabledReasons, wrappedOrBare } from './shared.ts'
import { webhookStats } from './webhook-stats.ts'

/** The hours in which the old secret also signs. */
export const secretOverlap = z.strictObject({ overlap_hours: z.number().min(0).max(72).default(24) }).prefault({})

const url = z
  .string()
  .min(1)
  .max(2048)
  .meta({ description: 'Where the events are sent, by POST.', example: 'https://receiver.example/kontor' })

const events = z
  .array(eventPattern)
  .min(1)
  .max(50)
  .meta({
    description: 'Types of events, such as `record.updated`; `record.*` means all events of records, `*` all events.',
    example: ['record.*'],
  })

export const webhookFilter = z
  .strictObject({
    object: z.string().min(1).max(64).optional().meta({ description: 'Events of this object.', example: 'deal' }),
    changed: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(50)
      .optional()
      .meta({ description: 'Updates that change one of these fields; requires `object`.', example: ['stage'] }),
    where: filterTree.optional(),
  })
  .meta({
    id: 'WebhookFilter',
    description:
      'Limits the events that are sent; all conditions must match. `where` is evaluated against the record as it ' +
      'was right after the event, or for a deletion as it was before; it requires `object`.',
  })

export type WebhookFilter = z.infer<typeof webhookFilter>

const description = z.string().max(1000)
const enabled = z.boolean().meta({ description: 'True if events are sent.' })
const ordered = z.boolean().meta({
  description:
    'True if the events of a record are sent one after another: a later event waits until the earlier ' +
    'one has succeeded or failed permanently.',
})

const fifo = z.boolean().meta({
  description:
    'True if all events are sent one after another: a failing event delays all later ones until it has ' +
    'succeeded or failed permanently. Requires `ordered`.',
})

const attributes = z.object({
  _id: id,
  url,
  events: z.array(z.string()),
  filter: z.union([webhookFilter, z.null()]),
  description: description.nullable(),
  enabled,
  ordered,
  fifo,
  disabled_reason: z
    .enum(webhookDisabledReasons)
    .nullable()
    .meta({
      description:
        '`requested`: disabled with `enabled: false`. `gone`: the receiver responded with 410. `failing`: ' +
        'five days of failures. `owner_left`: its owner is no longer a member. `owner_demoted`: its ' +
        'owner has a lower role than when they created it. `credential_ended`: the key or consent that created ' +
        'it is no longer valid, or it was restored from a bundle. ' +
        '`filter_broken`: the filter no longer matches the schemas.',
    }),
  disabled_at: timestamp.nullable(),
  failing_since: timestamp
    .nullable()
    .meta({ description: 'The first failure since the last success; five days later the webhook is disabled.' }),
  old_secret_until: timestamp
    .nullable()
    .meta({ description: 'Until then requests are also signed with earlier secrets, each for its own overlap.' }),
  owner_id: id
    .nullable()
    .meta({ description: 'The user whose view of the records is sent; null for the view of a workspace key.' }),
  _created_at: timestamp,
  _created_by: id,
  _updated_at: timestamp,
})

export const webhook = z.object({ type: z.literal('webhook'), id, attributes }).meta({ id: 'Webhook' })

export const webhookWithSecret = z
  .object({
    type: z.literal('webhook'),
    id,
    attributes: attributes.extend({
      secret: z.string().meta({
        description: 'The secret that signs the requests; shown only once.',
        example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw5ZbVlOXW1vY=',
      }),
    }),
  })
  .meta({ id: 'WebhookWithSecret' })

export const newWebhook = z
  .strictObject({
    url,
    events,
    filter: z.union([webhookFilter, z.null()]).optional(),
    description: description.nullable().optional(),
    enabled: enabled.default(true),
    ordered: ordered.default(true),
    fifo: fifo.default(false),
  })
  .meta({ id: 'NewWebhook' })

const webhookChange = z
  .strictObject({
    url: url.optional(),
    events: events.optional(),
    filter: z.union([webhookFilter, z.null()]).optional().meta({ description: 'Replaced completely; null clears it.' }),
    description: description.nullable().optional(),
    enabled: enabled.optional(),
    ordered: ordered.optional(),
    fifo: fifo.optional(),
  })
  .meta({ id: 'WebhookChange' })

/** Columns that webhooks are sorted by. */
export const webhookSortColumns = ['url', '_created_at', '_updated_at'] as const

export const webhookDeliveryStatuses = ['pending', 'succeeded', 'failed', 'skipped_disabled'] as const

export type WebhookDeliveryStatus = (typeof webhookDeliveryStatuses)[number]

/** Deliveries that have not arrived, and that are not tried any more. */
export const undeliveredStatuses = ['failed', 'skipped_disabled'] as const satisfies readonly WebhookDeliveryStatus[]

const undelivered = 'undelivered'

/** Why a request got no answer. */
export const webhookErrors = [
  'timeout',
  'refused_address',
  'dns',
  'tls',
  'connection',
  'invalid_answer',
  'invalid_request',
] as const

const headers = z.record(z.string(), z.string())

const webhookAttempt = z
  .object({
    number: z.int(),
    at: timestamp,
    duration_ms: z.int(),
    error: z
      .object({ reason: z.enum(webhookErrors), message: z.string() })
      .nullable()
      .meta({ description: 'The reason why there was no response; null if there was one.' }),
    request: z.object({ headers }),
    response: z
      .object({
        status: z.int(),
        headers,
        body: z
          .string()
          .nullable()
          .meta({ description: 'The first 64 KiB of the response; null if the body of the request is null.' }),
        is_cut: z.boolean().meta({ description: 'True if the body was longer.' }),
      })
      .nullable(),
  })
  .meta({ id: 'WebhookAttempt' })

const deliveryAttributes = z.object({
  _id: id.meta({ description: 'Also the header `webhook-id` of each attempt.' }),
  webhook_id: id,
  event: z
    .object({ id, type: z.string(), object: z.string().nullable(), record_id: z.string().nullable() })
    .meta({ description: 'Its event.' }),
  status: z.enum(webhookDeliveryStatuses).meta({
    description:
      '`pending`: waits for its first or next attempt. `failed`: failed permanently, or the owner of the ' +
      'webhook may no longer see the event, as `error` shows. `skipped_disabled`: the event happened ' +
      'while the webhook was disabled.',
  }),
  attempts: z.int().meta({ description: 'Number of attempts so far.' }),
  next_attempt_at: timestamp
    .nullable()
    .meta({ description: 'null if no attempt follows, or if an earlier event has to be sent first.' }),
  response_status: z.int().nullable().meta({ description: 'Status of the last attempt; null without a response.' }),
  error: z
    .string()
    .nullable()
    .meta({ description: 'The error of the last attempt, or the reason why there was none.' }),
  _created_at: timestamp,
  ended_at: timestamp.nullable(),
})

export const webhookDelivery = z
  .object({ type: z.literal('webhook-delivery'), id, attributes: deliveryAttributes })
  .meta({ id: 'WebhookDelivery' })

const withheldBody =
  'The request that an attempt would send now: the event as the owner of the webhook may see it. null if the owner ' +
  'may no longer see the event, or it is no longer stored.'

export const webhookDeliveryDetail = z
  .object({
    type: z.literal('webhook-delivery'),
    id,
    attributes: deliveryAttributes.extend({
      request: z
        .object({ method: z.literal('POST'), body: z.string().nullable().meta({ description: withheldBody }) })
        .meta({ description: 'The body of each attempt.' }),
      log: z.array(webhookAttempt).meta({ description: 'The attempts, oldest first.' }),
    }),
  })
  .meta({ id: 'WebhookDeliveryDetail' })

/** Columns that deliveries are sorted by. */
export const webhookDeliverySortColumns = ['_created_at', 'ended_at', 'attempts'] as const

const collection = '/workspaces/{workspace}/webhooks'
const one = `${collection}/{id}` as const
const oneDelivery = `${one}/deliveries/{delivery}` as const
const reading = { caller: 'any', scope: 'webhooks:read' } as const
const writing = { caller: 'any', scope: 'webhooks:write', query: z.strictObject(silentQuery) } as const
const readingDeliveries = { ...reading, deliveryScope: 'deliveries:read' } as const
const writingDeliveries = { ...writing, deliveryScope: 'deliveries:write' } as const

const filtering = ['unknown_field', 'unknown_operator', 'unknown_value'] as const

const exampleBody = {
  url: 'https://receiver.example/kontor',
  events: ['record.created', 'record.updated'],
  filter: { object: 'deal', where: { field: 'amount', op: 'Greater than', value: 5000 } },
}

export const webhooks = domain({
  list: {
    ...reading,
    method: 'GET',
    path: collection,
    summary: 'List webhooks',
    description: 'Lists your own webhooks, the oldest first unless sorted. Admins see all.',
    ...shortList(webhook, webhookSortColumns, {}),
  },
  create: {
    ...writing,
    emits: ['webhook.created'],
    method: 'POST',
    path: collection,
    status: 201,
    summary: 'Create a webhook',
    description:
      'Sends each new event to a URL, signed according to Standard Webhooks. It sends only events that ' +
      'its owner may see, and that the credential that created it covers: without a scope for the ' +
      'records of an object, none of them. Each event arrives at least once: a delivery whose result was ' +
      'lost in a crash is sent again with the same `webhook-id`. Only this response contains the secret.',
    body: wrappedOrBare('webhook', newWebhook),
    response: z.object({ data: webhookWithSecret }),
    secret: true,
    errors: filtering,
    examples: { body: exampleBody },
  },
  get: {
    ...reading,
    method: 'GET',
    path: one,
    summary: 'Get a webhook',
    description: 'Returns its events and its URL. The secret was shown only when the webhook was created.',
    response: z.object({ data: webhook }),
  },
  update: {
    ...writing,
    emits: ['webhook.updated'],
    method: 'PATCH',
    path: one,
    summary: 'Update a webhook',
    description:
      'Omitted attributes stay. A disabled webhook drops pending deliveries. Later events become ' +
      'deliveries with the status `skipped_disabled`, for `resend` and `recover`. Enabling a webhook ' +
      'that stopped because of its owner makes you its owner.',
    body: wrappedOrBare('webhook', webhookChange),
    response: z.object({ data: webhook }),
    errors: filtering,
    examples: { body: { events: ['record.*'], description: 'For the warehouse.' } },
  },
  remove: {
    ...writing,
    emits: ['webhook.deleted'],
    method: 'DELETE',
    path: one,
    summary: 'Delete a webhook',
    description: 'Deletes a webhook. Nothing more is sent to its URL.',
    response: empty,
  },
  rotateSecret: {
    ...writing,
    emits: ['webhook.secret_rotated'],
    method: 'POST',
    path: `${one}/rotate-secret`,
    summary: 'Rotate the secret of a webhook',
    description:
      'Requests are signed with the new secret immediately, and also with the old one for ' +
      '`overlap_hours`: a receiver can use either. Rotating again within the overlap leaves earlier ' +
      'secrets valid for their own overlap; `overlap_hours: 0` ends all of them immediately, as after ' +
      'a leak.',
    body: secretOverlap,
    response: z.object({ data: webhookWithSecret }),
    secret: true,
    examples: { body: { overlap_hours: 24 } },
  },
  test: {
    ...writing,
    method: 'POST',
    path: `${one}/test`,
    status: 202,
    summary: 'Test a webhook',
    description:
      'Sends an event of the type `webhook.test`, even if the webhook is disabled. The delivery shows the result.',
    response: z.object({ data: webhookDelivery }),
  },
  stats: {
    ...readingDeliveries,
    method: 'GET',
    path: `${one}/stats`,
    summary: 'Get the statistics of a webhook',
    description: 'Returns how many of the latest deliveries succeeded, and how fast the receiver responded.',
    response: z.object({ data: webhookStats }),
  },
  listDeliveries: {
    ...readingDeliveries,
    method: 'GET',
    path: `${one}/deliveries`,
    summary: 'List the deliveries of a webhook',
    description: 'Lists the deliveries of a webhook, the newest first unless sorted. Deliveries are kept for 30 days.',
    ...growingList(webhookDelivery, webhookDeliverySortColumns, {
      filter: z
        .strictObject({
          status: z
            .enum([...webhookDeliveryStatuses, undelivered])
            .optional()
            .meta({ description: 'Deliveries with this status; `undelivered`: `failed` and `skipped_disabled`.' }),
          type: z.string().max(100).optional().meta({ description: 'Deliveries of events of this type.' }),
        })
        .optional(),
    }),
  },
  getDelivery: {
    ...readingDeliveries,
    method: 'GET',
    path: oneDelivery,
    summary: 'Get a delivery with its attempts',
    description: 'Returns the event of a delivery, and the result of each attempt.',
    response: z.object({ data: webhookDeliveryDetail }),
    errors: ['forbidden'],
  },
  resend: {
    ...writingDeliveries,
    method: 'POST',
    path: `${oneDelivery}/resend`,
    status: 202,
    summary: 'Send a delivery again',
    description:
      'Sends a delivery again immediately with the same id, whether it succeeded or failed, and retries ' +
      'it like a new one. A pending delivery is sent immediately. The request contains the data that the ' +
      'owner of the webhook may see at that moment.',
    response: z.object({ data: webhookDelivery }),
  },
  recover: {
    ...writingDeliveries,
    method: 'POST',
    path: `${one}/recover`,
    status: 202,
    summary: 'Resend failed deliveries',
    description:
      'Resends every delivery that has failed since a time, or was skipped while the webhook was ' +
      'disabled, in the order of the events; at most 10,000 in one call.',
    body: z.strictObject({ since: timestamp }),
    response: z.object({
      meta: z.object({ deliveries: z.int().meta({ description: 'Number of deliveries that are sent again.' }) }),
    }),
    examples: { body: { since: '2026-01-31T09:30:00.000Z' } },
  },
})
