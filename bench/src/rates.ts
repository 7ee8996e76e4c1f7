import type { LoadResult } from './load.ts'
import type { Options } from './options.ts'
import type { Load, Server } from './processes.ts'
import type { Pair, Target } from './promises.ts'

/** Records a second, and what the process itself spent on a request. */
type Side = { readonly perSecond: number; readonly p50: number; readonly p99: number; readonly cpuUs: number | undefined }
export type Rates = { readonly floor: Side; readonly ours: Side; readonly ratio: number; readonly low: number; readonly high: number }

export type Contender = Target & { readonly server: Server }

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

type Round = { readonly result: LoadResult; readonly cpuUs: number | undefined }

/**
 * Floor and ours in turn, in rounds; the ratio is the median of the rounds' ratios, since whatever else the machine does
 * mostly strikes both halves of a round.
 */
export async function measureRates(load: Load, pair: Pair, floor: Contender, ours: Contender, options: Options, say: (text: string) => void): Promise<Rates> {
  const run = async ({ server, port, headers }: Contender, request: Pair['floor'], seconds: number): Promise<Round> => {
    const before = server.cpuMs()
    const result = await load.run({ port, headers, ...request, connections: options.connections, seconds })
    const after = server.cpuMs()
    if (result.failures > 0) throw new Error(`${result.failures} of ${result.requests} requests failed, the first with ${result.firstFailure}`)
    return { result, cpuUs: before === undefined || after === undefined ? undefined : ((after - before) * 1000) / result.requests }
  }
  const base = pair.against === 'ours' ? ours : floor
  await run(base, pair.floor, Math.min(2, options.seconds))
  await run(ours, pair.ours, Math.min(2, options.seconds))
  const rounds: { floor: Round; ours: Round }[] = []
  for (let round = 0; round < options.rounds; round++) {
    // Whoever goes first meets another cache and clock, so they take turns in that too.
    const early = round % 2 === 0 ? await run(base, pair.floor, options.seconds) : undefined
    const measured = await run(ours, pair.ours, options.seconds)
    rounds.push({ floor: early ?? (await run(base, pair.floor, options.seconds)), ours: measured })
    say(`${pair.what}: round ${round + 1} of ${options.rounds}, ${ratioOf(rounds.at(-1) as (typeof rounds)[number]).toFixed(2)}`)
  }
  const ratios = rounds.map(ratioOf).toSorted((a, b) => a - b)
  const side = (of: 'floor' | 'ours'): Side => ({
    perSecond: median(rounds.map((round) => round[of].result.perSecond)) * pair.records,
    p50: median(rounds.map((round) => round[of].result.p50)),
    p99: median(rounds.map((round) => round[of].result.p99)),
    cpuUs: rounds.some((round) => round[of].cpuUs === undefined) ? undefined : median(rounds.map((round) => round[of].cpuUs as number)),
  })
  return { floor: side('floor'), ours: side('ours'), ratio: median(ratios), low: ratios[0] as number, high: ratios.at(-1) as number }
}

const ratioOf = ({ floor, ours }: { readonly floor: Round; readonly ours: Round }): number => ours.result.perSecond / floor.result.perSecond
