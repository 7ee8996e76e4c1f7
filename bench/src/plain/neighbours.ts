import type { Fact } from '../facts.ts'
import type { Databases } from '../databases.ts'
import type { LoadResult } from '../load.ts'
import type { Options } from '../options.ts'
import { resourcesOf, spread } from '../paths.ts'
import { startKontor, startLoad, type Load } from '../processes.ts'
import { measureRates, type Pair, type Rates, type Request } from '../rates.ts'
import { workspace } from '../seed.ts'
import type { PlainStand } from './stand.ts'

/** Clients that scan all persons, one request after another. */
const scanners = 16

const get = (paths: readonly string[]): Request => ({ method: 'GET', paths })

/**
 * Measures the speed that others keep while some scan for a field that has no index, and never gets one. The server of
 * the stand is stopped for it, so that nothing else can be measured afterwards.
 */
export async function measureNeighbours(
  stand: PlainStand,
  { folder }: Databases,
  load: Load,
  options: Options,
  say: (text: string) => void,
): Promise<{ readonly rates: Rates[]; readonly facts: Fact[] }> {
  // A SQLite file has one server at a time.
  await stand.ours.server.stop()
  const server = await startKontor(stand.url, folder, {}, { FIELD_INDEX_THRESHOLD: '1000000000' })
  const scanning = startLoad()
  const scans: LoadResult[] = []
  const { headers } = stand.ours
  const paths = Array.from({ length: 101 }, (_, score) => resourcesOf({ workspace }, `filter%5Bscore%5D=${score}`))
  const meanwhile = async (seconds: number) => {
    scans.push(await scanning.run({ port: server.port, headers, ...get(paths), connections: scanners, seconds }))
  }
  const pair = (what: string, request: Request): Pair => {
    const of = { port: server.port, headers, server }
    return {
      what: `${what} while ${scanners} scan`,
      atLeast: 0.7,
      beside: 'the same alone',
      other: { of, request },
      ours: { of, request, meanwhile },
    }
  }
  try {
    const records = `/v1/workspaces/${workspace}/objects/person/records`
    const pairs = [
      pair('get one', get(spread(stand.personIds, 4001).map((id) => `${records}/${id}`))),
      pair('list of 50, exact total', get([resourcesOf({ workspace })])),
    ]
    const rates: Rates[] = []
    for (const one of pairs) rates.push(await measureRates(load, one, options, say))
    return { rates, facts: [factOf(scans)] }
  } finally {
    scanning.stop()
    await server.stop()
  }
}

/** The server may refuse some, so that the others keep their speed. */
function factOf(scans: readonly LoadResult[]): Fact {
  const sum = (of: (scan: LoadResult) => number) => scans.reduce((all, scan) => all + of(scan), 0)
  const perSecond = sum((scan) => scan.perSecond) / scans.length
  const refused = (100 * sum((scan) => scan.failures)) / sum((scan) => scan.requests)
  return { what: 'scans meanwhile', value: `${perSecond.toFixed(1)} /s, ${refused.toFixed(0)} % of them refused` }
}
