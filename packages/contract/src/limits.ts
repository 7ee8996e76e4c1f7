import { z } from 'zod'
import { domain } from './endpoint.ts'
import { id } from './shared.ts'

/** Bytes of a body, unpacked; `bulk` for the operations on many records. */
export const bodyBytesMax = { normal: 1024 * 1024, bulk: 16 * 1024 * 1024 } as const

export const urlBytesMax = 8192

/** Calls of one operation in a minute, where the operator of a server has set nothing else. */
export const callsPerMinute = 3000

/** Calls in one batch of tRPC. */
export const batchCallsMax = 50

export const idempotencyKeyCharactersMax = 255

/** The time for which a response is stored under its `Idempotency-Key`. */
export const idempotencyKeptHours = 24

const limit = (description: string) => z.int().min(0).meta({ description })

const rateLimit = z
  .object({
    operation: z.string().meta({ description: 'The operation that is counted.', example: 'records.create' }),
    policy: z
      .string()
      .meta({ description: 'Name of the policy, as in the header `RateLimit-Policy`.', example: 'default' }),
    counted_for: z.enum(['workspace', 'caller']).meta({
      description: 'The callers who share the bucket: the whole workspace, or only the caller.',
    }),
    limit: limit('Size of the bucket in tokens; each call takes one.'),
    window_seconds: limit('Seconds in which an empty bucket becomes full; it fills evenly.'),
    remaining: limit('Tokens in the bucket now.'),
    reset_seconds: limit('Seconds until the bucket is full, if no further call is made.'),
  })
  .meta({ id: 'RateLimit' })

const limitsResource = z
  .object({
    type: z.literal('limits'),
    id,
    attributes: z.object({
      rate_limits: z.array(rateLimit).meta({ description: 'One for each operation; empty where rate limits are off.' }),
      requests: z.object({
        body_bytes: limit('Bytes of a body, unpacked.'),
        bulk_body_bytes: limit('The same for the operations on many records, for tRPC and for actions.'),
        url_bytes: limit('Bytes of a URL.'),
        batch_calls: limit('Calls in one batch of tRPC.'),
      }),
      pages: z.object({
        records_default: limit('Records in a page by default.'),
        activities_max: limit('Maximum and default of activities in a page.'),
        sort_columns: limit('Columns to sort by.'),
      }),
      records: z.object({
        bulk_items: limit('Records that one call creates, changes, deletes or restores.'),
        deleted_kept_days: limit('Days for which a deleted record can be restored.'),
      }),
      filters: z.object({
        conditions: limit('Conditions in one filter.'),
        depth: limit('Maximum nesting of `and`, `or` and `not`.'),
        references: limit('References that a dotted path may go along.'),
        values: limit('Values in one list.'),
      }),
      search: z.object({
        characters: limit('Characters of a search.'),
        records: limit('Records that a search across objects returns.'),
        counted: limit('Records found that are counted.'),
      }),
      idempotency: z.object({
        key_characters: limit('Characters of an `Idempotency-Key`.'),
        kept_hours: limit('Hours for which the first response is stored.'),
      }),
    }),
  })
  .meta({ id: 'Limits' })

export const limits = domain({
  get: {
    method: 'GET',
    path: '/workspaces/{workspace}/limits',
    caller: 'any',
    scope: null,
    openToApps: true,
    summary: 'Get the limits',
    description:
      'Returns the remaining rate limits, and every other limit that a call can exceed. Reading ' +
      'them counts only against the rate limit of this operation.',
    response: z.object({
      data: limitsResource,
      meta: z.object({
        counted_by: z.literal('server').meta({
          description:
            'Counted by the server that responded. Several servers exchange their counts every tenth of a second.',
        }),
      }),
    }),
  },
})
