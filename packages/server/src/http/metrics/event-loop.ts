import type { Gauge, Registry } from 'prom-client'

const names = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map(
  (part) => `nodejs_eventloop_lag_${part}_seconds`,
)
const mean = 'nodejs_eventloop_lag_mean_seconds'

/**
 * Repeats what was last said of the event loop where prom-client has no new sample, as in the 10 ms after a reading: it
 * would say that the least delay is the largest number that there is, and the mean none at all. Before the first it
 * says nothing.
 */
export function withoutEmptyLag(registry: Registry): void {
  const valueOf = (name: string): Gauge | undefined => registry.getSingleMetric(name) as Gauge | undefined
  const readMean = valueOf(mean)?.get.bind(valueOf(mean))
  for (const name of names) {
    const metric = valueOf(name)
    if (metric === undefined || readMean === undefined) continue
    const read = metric.get.bind(metric)
    let last: Awaited<ReturnType<typeof read>>['values'] = []
    metric.get = async () => {
      const [sampled] = (await readMean()).values
      const all = await read()
      if (sampled !== undefined && Number.isFinite(sampled.value)) last = all.values
      return { ...all, values: last }
    }
  }
}
