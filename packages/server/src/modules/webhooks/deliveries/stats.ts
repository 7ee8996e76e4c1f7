import type { Output, webhooks } from '@kontor/contract'
import type { EndedDelivery } from './store.ts'

type Stats = Output<typeof webhooks.stats>['data']['attributes']

/** Returns the health of a webhook, by its latest deliveries. */
export function statsOf(ended: readonly EndedDelivery[]): Stats {
  const succeeded = ended.filter(({ state }) => state === 'succeeded').length
  const durations = ended.flatMap(({ duration_ms }) => duration_ms ?? []).toSorted((one, other) => one - other)
  return {
    deliveries: ended.length,
    succeeded,
    failed: ended.length - succeeded,
    success_rate: ended.length === 0 ? null : succeeded / ended.length,
    duration_p50_ms: percentile(durations, 0.5),
    duration_p95_ms: percentile(durations, 0.95),
  }
}

/** The least of some sorted values that is not exceeded by this share of them. */
const percentile = (sorted: readonly number[], share: number): number | null =>
  sorted[Math.ceil(sorted.length * share) - 1] ?? null
