import {
  activitiesPageMax,
  batchCallsMax,
  bodyBytesMax,
  bulkItemsMax,
  contract,
  deletedKeptDays,
  filterConditionsMax,
  filterDepthMax,
  filterHopsMax,
  filterValuesMax,
  idempotencyKeptHours,
  idempotencyKeyCharactersMax,
  inWorkspace,
  limits,
  pageLimitDefault,
  searchCharactersMax,
  searchCountedMax,
  searchRecordsMax,
  sortColumnsMax,
  urlBytesMax,
  type Contract,
  type Endpoint,
  type Output,
  isOpen,
} from '@kontor/contract'
import { actorId } from '../../kernel/actor.ts'
import { implement } from '../../kernel/implement.ts'
import { bucketOf, type RateLimiter } from '../../kernel/rate-limit.ts'

type Body = Output<typeof limits.get>
type Attributes = Body['data']['attributes']

/** Limits that apply to every caller. */
const fixed = {
  requests: {
    body_bytes: bodyBytesMax.normal,
    bulk_body_bytes: bodyBytesMax.bulk,
    url_bytes: urlBytesMax,
    batch_calls: batchCallsMax,
  },
  pages: { records_default: pageLimitDefault, activities_max: activitiesPageMax, sort_columns: sortColumnsMax },
  records: { bulk_items: bulkItemsMax, deleted_kept_days: deletedKeptDays },
  filters: {
    conditions: filterConditionsMax,
    depth: filterDepthMax,
    references: filterHopsMax,
    values: filterValuesMax,
  },
  search: { characters: searchCharactersMax, records: searchRecordsMax, counted: searchCountedMax },
  idempotency: { key_characters: idempotencyKeyCharactersMax, kept_hours: idempotencyKeptHours },
} satisfies Omit<Attributes, 'rate_limits'>

const domains: Contract = contract

/** Operations that count against a rate limit: public ones do not (docs/decisions/0048). */
const counted = Object.entries(domains)
  .flatMap(([domain, byKey]) =>
    Object.entries(byKey).map(([key, endpoint]): [string, Endpoint] => [`${domain}.${key}`, endpoint]),
  )
  .filter(([, endpoint]) => !isOpen(endpoint))

export const limitHandlers = (rateLimiter: RateLimiter | undefined) =>
  implement(limits, {
    async get({ workspace: { workspaceId }, actor }) {
      const rateLimits =
        rateLimiter === undefined
          ? []
          : counted.map(([operation, endpoint]) =>
              rateLimitOf(rateLimiter, operation, inWorkspace(endpoint) ? workspaceId : undefined, actorId(actor)),
            )
      const body: Body = {
        data: { type: 'limits', id: workspaceId, attributes: { rate_limits: rateLimits, ...fixed } },
        meta: { counted_by: 'server' },
      }
      return { body }
    },
  })

function rateLimitOf(
  rateLimiter: RateLimiter,
  operation: string,
  workspaceId: string | undefined,
  callerId: string,
): Attributes['rate_limits'][number] {
  const { name, limit, windowSeconds } = rateLimiter.policy
  const { remaining, resetSeconds } = rateLimiter.look(bucketOf(operation, workspaceId ?? callerId))
  return {
    operation,
    policy: name,
    counted_for: workspaceId === undefined ? 'caller' : 'workspace',
    limit,
    window_seconds: windowSeconds,
    remaining,
    reset_seconds: resetSeconds,
  }
}
