import type { Databases } from '../databases.ts'
import type { Fact } from '../facts.ts'
import { namesOf, type Options, type PlainName } from '../options.ts'
import type { Load } from '../processes.ts'
import { measureRates, type Rates } from '../rates.ts'
import type { Part } from '../report.ts'
import { measureNeighbours } from './neighbours.ts'
import { pairsOf, type RowName } from './rows.ts'
import { assertSameAnswers } from './same.ts'
import { sizesOf, watchMemory } from './size.ts'
import type { PlainStand } from './stand.ts'

/** The slowest requests may take so many times what they take in the plain server. */
const slowestTimesMax = 1.5

const slowest = ({ what, beside, ours, other }: Rates): Fact => {
  const times = ours.p99 / other.p99
  return {
    what: `${what}: 99th percentile ≤ ${slowestTimesMax} times that of ${beside}`,
    value: `${ours.p99.toFixed(1)} ms, ${times.toFixed(2)} times ${other.p99.toFixed(1)} ms`,
    isMet: times <= slowestTimesMax,
  }
}

/** The rate that equality which most persons meet reaches, on any plain server. */
const mostPerSecond = 1000

const mostMatched = ({ what, ours }: Rates): Fact => ({
  what: `${what} ≥ ${mostPerSecond.toLocaleString('en-US')} /s`,
  value: `${Math.round(ours.perSecond).toLocaleString('en-US')} /s`,
  isMet: ours.perSecond >= mostPerSecond,
})

type Measured = Pick<Part, 'rates' | 'facts'>

/** Each row in turn with the plain server; where the two ways of that differ, beside both. */
async function measureRows(name: RowName, { stand, load, options, say }: Run): Promise<Measured> {
  const rates: Rates[] = []
  for (const pair of pairsOf(name, stand)) {
    if (pair.ours.request.method === 'GET') await assertSameAnswers(pair)
    rates.push(await measureRates(load, pair, options, say))
  }
  // Beside the tuned one where there are both.
  const compared = rates.filter(({ what }, index) => rates.findIndex((one) => one.what === what) === index)
  const most = name === 'matches' ? rates.slice(-1).map(mostMatched) : []
  return { rates, facts: [...most, ...compared.map(slowest)] }
}

/** The things that measuring needs. */
type Run = {
  readonly stand: PlainStand
  readonly databases: Databases
  readonly load: Load
  readonly options: Options
  readonly say: (text: string) => void
}

/** Measures the cost of a request beside the plain server, and the memory and disk of both. */
export async function measureBesidePlain(run: Run): Promise<Part[]> {
  const { stand, databases, load, options, say } = run
  const peakBytes = watchMemory(stand)
  const measure = async (name: PlainName): Promise<Measured> => {
    if (name === 'size') return { rates: [], facts: sizesOf(stand, peakBytes()) }
    if (name === 'neighbours') return measureNeighbours(stand, databases, load, options, say)
    return measureRows(name, run)
  }
  const parts: Part[] = []
  for (const name of namesOf('plain') as PlainName[])
    if (options.measurements.includes(name)) parts.push({ name, ...(await measure(name)), stages: [] })
  peakBytes()
  return parts
}
