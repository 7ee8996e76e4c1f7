/** Calls of each tool of the MCP server by outcome, and the tokens of their responses. */
export type ToolTallies = {
  readonly tallies: ReadonlyMap<string, Readonly<Record<string, { readonly calls: number; readonly tokens: number }>>>
}

/** Calls of tools, and what their responses cost those who read them. */
export function measureTools({ counter }: Meters, { tallies }: ToolTallies): void {
  const each = (of: 'calls' | 'tokens') => () =>
    [...tallies].flatMap(([tool, outcomes]) =>
      Object.entries(outcomes).map(([outcome, tally]) => [{ tool, outcome }, tally[of]] as const),
    )
  counter(
    { name: 'kontor_mcp_calls_total', help: 'Calls of MCP tools, by tool and outcome.', labels: ['tool', 'outcome'] },
    each('calls'),
  )
  counter(
    {
      name: 'kontor_mcp_tokens_total',
      help: 'Tokens of the responses of MCP tools, estimated at four bytes each.',
      labels: ['tool', 'outcome'],
    },
    each('tokens'),
  )
}

type Labels = Readonly<Record<string, string | number>>

/** One value of a metric, with its labels. */
export type MetricSample = readonly [labels: Labels, value: number]
export type MetricSamples = () => readonly MetricSample[] | Promise<readonly MetricSample[]>

/** The name and the meaning of a metric. */
export type DescribedMetric = { readonly name: string; readonly help: string; readonly labels?: readonly string[] }

type Measure = (described: DescribedMetric, samples: MetricSamples) => void

/** Register metrics, whose values are read on request. */
export type Meters = { readonly counter: Measure; readonly gauge: Measure }
