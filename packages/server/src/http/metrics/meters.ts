type Labels = Readonly<Record<string, string | number>>

/** One value of a metric, with its labels. */
export type MetricSample = readonly [labels: Labels, value: number]
export type MetricSamples = () => readonly MetricSample[] | Promise<readonly MetricSample[]>

/** The name and the meaning of a metric. */
export type DescribedMetric = { readonly name: string; readonly help: string; readonly labels?: readonly string[] }

type Measure = (described: DescribedMetric, samples: MetricSamples) => void

/** Register metrics, whose values are read on request. */
export type Meters = { readonly counter: Measure; readonly gauge: Measure }
