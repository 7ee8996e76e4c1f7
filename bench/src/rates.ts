import type { LoadResult, LoadSpec } from './load.ts'
import type { Options } from './options.ts'
import type { Load, Server } from './processes.ts'

/** A server under load, and with which credentials to speak to it. */
export type Contender = {
  readonly port: number
  readonly headers: Readonly<Record<string, string>>
  readonly server: Server
  /** CPU time that the processes of its database have used so far, where that is measured. */
  readonly databaseCpuMs?: (() => number | undefined) | undefined
}

export type Request = Pick<LoadSpec, 'method' | 'paths' | 'bodies'>

/** A load, and the server that it is for. */
type Ask = {
  readonly of: Contender
  readonly request: Request
  /** The work of others for so many seconds, and while this is measured; the CPU time would be that of both. */
  readonly meanwhile?: (seconds: number) => Promise<void>
}

/** A promise that is measured by requests: ours must reach `atLeast` of the rate of what stands beside it, if any. */
export type Pair = {
  readonly what: string
  readonly atLeast?: number
  /** The name of the other, for the reader: "the floor", "page one". */
  readonly beside: string
  /** Records in one request, where that says more than requests. */
  readonly records?: number
  /** Fewer than usual, where one request takes the time of a round. */
  readonly connections?: number
  readonly other: Ask
  readonly ours: Ask
}

/** Records a second, and what the server's processes and, where that is measured, the database's spent on a request. */
type Side = {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly cpuUs: number | undefined
  readonly databaseCpuUs?: number | undefined
}
export type Rates = {
  readonly what: string
  readonly atLeast?: number | undefined
  readonly beside: string
  readonly unit: '/s' | 'records/s'
  readonly other: Side
  readonly ours: Side
  readonly ratio: number
  readonly low: number
  readonly high: number
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

type Round = Pick<Side, 'cpuUs' | 'databaseCpuUs'> & { readonly result: LoadResult }

/**
 * The two in turn, in rounds; the ratio is the median of the rounds' ratios, since whatever else the machine does
 * mostly
 * strikes both halves of a round.
 */
export async function measureRates(
  load: Load,
  pair: Pair,
  options: Options,
  say: (text: string) => void,
): Promise<Rates> {
  const { records = 1, connections = options.connections } = pair
  const run = async (
    { of: { server, databaseCpuMs, port, headers }, request, meanwhile }: Ask,
    seconds: number,
  ): Promise<Round> => {
    const cpu = () => (meanwhile === undefined ? [server.cpuMs(), databaseCpuMs?.()] : [])
    const before = cpu()
    const [result] = await Promise.all([
      load.run({ port, headers, ...request, connections, seconds }),
      meanwhile?.(seconds),
    ])
    const after = cpu()
    if (result.failures > 0)
      throw new Error(`${result.failures} of ${result.requests} requests failed, the first with ${result.firstFailure}`)
    const [cpuUs, databaseCpuUs] = after.map((ms, index) => {
      const ago = before[index]
      return ms === undefined || ago === undefined ? undefined : ((ms - ago) * 1000) / result.requests
    })
    return { result, cpuUs, databaseCpuUs }
  }
  await run(pair.other, Math.min(2, options.seconds))
  await run(pair.ours, Math.min(2, options.seconds))
  const rounds: { other: Round; ours: Round }[] = []
  for (let round = 0; round < options.rounds; round++) {
    // The first to run meets another cache and clock, so they take turns in that too.
    const early = round % 2 === 0 ? await run(pair.other, options.seconds) : undefined
    const ours = await run(pair.ours, options.seconds)
    rounds.push({ other: early ?? (await run(pair.other, options.seconds)), ours })
    say(
      `${pair.what}: round ${round + 1} of ${options.rounds}, ` +
        ratioOf(rounds.at(-1) as (typeof rounds)[number]).toFixed(2),
    )
  }
  const ratios = rounds.map(ratioOf).toSorted((a, b) => a - b)
  const side = (of: 'other' | 'ours'): Side => ({
    perSecond: median(rounds.map((round) => round[of].result.perSecond)) * records,
    p50: median(rounds.map((round) => round[of].result.p50)),
    p99: median(rounds.map((round) => round[of].result.p99)),
    cpuUs: medianOfAll(rounds.map((round) => round[of].cpuUs)),
    databaseCpuUs: medianOfAll(rounds.map((round) => round[of].databaseCpuUs)),
  })
  const { what, atLeast, beside } = pair
  return {
    what,
    atLeast,
    beside,
    unit: pair.records === undefined ? '/s' : 'records/s',
    other: side('other'),
    ours: side('ours'),
    ratio: median(ratios),
    low: ratios[0] as number,
    high: ratios.at(-1) as number,
  }
}

const medianOfAll = (values: readonly (number | undefined)[]): number | undefined => {
  const known = values.filter((value) => value !== undefined)
  return known.length < values.length ? undefined : median(known)
}

const ratioOf = ({ other, ours }: { readonly other: Round; readonly ours: Round }): number =>
  ours.result.perSecond / other.result.perSecond
