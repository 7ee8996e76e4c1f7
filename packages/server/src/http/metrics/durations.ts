import type { Metric } from 'prom-client'
import type { Call } from '../../kernel/calls.ts'
import { durationBoundsMs } from '../../kernel/invoke/metered.ts'

type Value = {
  readonly metricName: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

const bounds = [...durationBoundsMs.map((ms) => ms / 1000), '+Inf']

/**
 * The durations of calls as a histogram. Not prom-client's own: half a microsecond for each call against a twentieth,
 * and the library would have to be there from the start. This one is filled from the counts when it is read.
 */
export const durations = (
  { name, help }: { readonly name: string; readonly help: string },
  calls: readonly Call[],
): Metric =>
  ({
    name,
    help,
    type: 'histogram',
    get: async () => ({
      name,
      help,
      type: 'histogram',
      values: calls.flatMap((call) => valuesOf(name, call)),
      aggregator: 'sum',
    }),
  }) as unknown as Metric

function valuesOf(name: string, { name: operation, usage }: Call): Value[] {
  return usage.tallies().flatMap(({ surface, status, byDuration, sumMs }) => {
    const labels = { operation, surface, status }
    let count = 0
    const buckets = bounds.map((le, index): Value => ({
      metricName: `${name}_bucket`,
      labels: { le, ...labels },
      value: (count += byDuration[index] ?? 0),
    }))
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sumMs / 1000 },
      { metricName: `${name}_count`, labels, value: count },
    ]
  })
}
