import { measureAutomation } from './automation/measure.ts'
import { accessLists, measureTotal, standOf, visiblePairs } from './access.ts'
import { assertSamePages } from './compare.ts'
import { farPairs, feedPairs, growthPairs, indexedLists, tracesPair } from './depth.ts'
import { measureEvolution } from './evolution.ts'
import type { Fact } from './facts.ts'
import { measureSql, sqlListPair } from './lists.ts'
import { measureFairness } from './fairness.ts'
import { measureFirstFilter } from './first-filter.ts'
import { awaitIndexes } from './indexes.ts'
import { help, namesOf, readOptions, setNames, type DepthName, type Options, type SetName } from './options.ts'
import { openDatabases, type Databases } from './databases.ts'
import { measureBesidePlain } from './plain/measure.ts'
import { openPlainStand } from './plain/stand.ts'
import { startBare, startFloor, startLoad, stopServers, type Load } from './processes.ts'
import { rankPairs } from './ranks.ts'
import { measureRates, type Contender, type Pair, type Rates } from './rates.ts'
import { includePairs, relatedPairs } from './related.ts'
import { measureSearch, searchedLists, searchPair } from './searching.ts'
import { measureRemoval } from './removal.ts'
import { keepResults } from './keeping.ts'
import { tables, versionOf, type Part, type Results } from './report.ts'
import { measureStages } from './stages.ts'
import { share } from './sharing.ts'
import { openUnserved, serve, type Stand, type Unserved } from './stand.ts'
import { measureStart } from './start.ts'

type Say = (text: string) => void

const write: Say = (text) => void process.stderr.write(`${text}\n`)

/** The things that measuring needs beside a stand. */
type Run = { readonly databases: Databases; readonly load: Load; readonly options: Options; readonly say: Say }

const nothing = { rates: [], facts: [], stages: [] }

async function measureBasics(stand: Stand, { databases, load, options, say }: Run): Promise<Part[]> {
  const parts: Part[] = []
  if (options.measurements.includes('ranks')) {
    const rates: Rates[] = []
    for (const pair of await rankPairs(stand, say)) rates.push(await measureRates(load, pair, options, say))
    parts.push({ ...nothing, name: 'ranks', rates })
  }
  if (options.measurements.includes('fair'))
    parts.push({ ...nothing, name: 'fair', facts: await measureFairness(stand, databases.folder, load, options, say) })
  await stand.stop()
  if (options.measurements.includes('stages'))
    parts.push({
      ...nothing,
      name: 'stages',
      stages: await measureStages(stand.url, stand.seeded, stand.authorization, options.isQuick ? 200 : 2000),
    })
  if (options.measurements.includes('start'))
    parts.push({ ...nothing, name: 'start', facts: await measureStart(stand.url, databases.folder, options, say) })
  return parts
}

/** Of more persons, a scan takes minutes. */
const scannedMax = 1_000_000

async function measureDepth(stand: Stand, run: Run): Promise<Part[]> {
  const { load, options, say } = run
  const parts: Part[] = []
  const take = async (
    name: DepthName,
    measure: () => Promise<{ readonly rates?: Rates[]; readonly facts?: Fact[] } | undefined>,
  ) => {
    const measured = options.measurements.includes(name) ? await measure() : undefined
    if (measured !== undefined) parts.push({ ...nothing, name, ...measured })
  }
  const compare = async (pairs: readonly Pair[]) => {
    const rates: Rates[] = []
    for (const pair of pairs) rates.push(await measureRates(load, pair, options, say))
    return { rates }
  }
  // One search has a whole index built, beside which nothing else can be measured.
  const searches = options.measurements.includes('search')
  await awaitIndexes(stand.url, stand.ours, [...indexedLists(stand), ...(searches ? searchedLists(stand) : [])], say)
  await take('search', async () => ({
    rates:
      stand.seeded.people > scannedMax
        ? []
        : await measureBesideFloor(stand, run, (floor) => [searchPair(stand, floor)]),
    facts: await measureSearch(stand, say),
  }))
  await take('far', async () => compare(await farPairs(stand)))
  await take('feed', () => compare(feedPairs(stand)))
  await take('include', () => compare(includePairs(stand)))
  await take('related', async () => compare(await relatedPairs(stand, say)))
  await take('growth', () => beside(stand, run, compare))
  await take('remove', async () => ({ facts: await measureRemoval(stand, say) }))
  await take('traces', async () => {
    const server = await startBare({ databaseUrl: stand.url, without: 'traces' })
    const rates = await compare([tracesPair(stand, { ...stand.ours, port: server.port, server })])
    await server.stop()
    return rates
  })
  // Last, since it takes a field away that others ask for.
  await take('evolve', async () => ({ facts: await measureEvolution(stand, options, say) }))
  await stand.stop()
  return parts
}

/** Measures beside the floor, which must return the same pages. */
async function measureBesideFloor(
  { url, baseUrl, seeded: { workspace, workspaceId } }: Stand,
  { load, options, say }: Run,
  pairsOf: (floor: Contender) => readonly Pair[],
): Promise<Rates[]> {
  const server = await startFloor({ workspace, workspaceId, databaseUrl: url, baseUrl }, options)
  const rates: Rates[] = []
  for (const pair of pairsOf({ port: server.port, headers: {}, server })) {
    await assertSamePages(pair)
    rates.push(await measureRates(load, pair, options, say))
  }
  await server.stop()
  return rates
}

async function measureAccess(stand: Stand, run: Run): Promise<Part[]> {
  const { load, options, say, databases } = run
  const sharing = await share(stand, say)
  const member = standOf(stand, sharing)
  await awaitIndexes(stand.url, member.ours, accessLists(stand), say)
  const parts: Part[] = []
  if (options.measurements.includes('visible')) {
    const rates = await measureBesideFloor(stand, run, (floor) => visiblePairs(member, floor, sharing))
    parts.push({ ...nothing, name: 'visible', rates })
  }
  if (options.measurements.includes('total'))
    parts.push({ ...nothing, name: 'total', facts: await measureTotal(member, databases.database === 'postgres') })
  if (options.measurements.includes('sql')) {
    parts.push({
      ...nothing,
      name: 'sql',
      rates: [await measureRates(load, await sqlListPair(stand), options, say)],
      facts: await measureSql(stand),
    })
  }
  await stand.stop()
  return parts
}

/** Measures beside the smallest of the databases, where this is a larger one. */
async function beside<T>(
  stand: Stand,
  { databases, options, say }: Run,
  compare: (pairs: readonly Pair[]) => Promise<T>,
): Promise<T | undefined> {
  if (stand.seeded.people <= options.smallest) return undefined
  const smaller = await serve(await openUnserved(databases, options.smallest, options, say), databases, options)
  await awaitIndexes(smaller.url, smaller.ours, indexedLists(smaller), say)
  const compared = await compare(growthPairs(smaller, stand))
  await smaller.stop()
  await smaller.drop()
  return compared
}

/** A set, from a database of its own to what came out and what that database calls itself. */
type Measure = (people: number, run: Run) => Promise<{ readonly parts: readonly Part[]; readonly version: string }>

/** Taken before any other measurement: no list may have come before. */
async function measureUnindexed(unserved: Unserved, { databases, options, say }: Run): Promise<Part[]> {
  if (!options.measurements.includes('unindexed')) return []
  return [{ ...nothing, name: 'unindexed', facts: await measureFirstFilter(unserved, databases.folder, options, say) }]
}

const onSeeded =
  (
    measure: (stand: Stand, run: Run) => Promise<Part[]>,
    measureFirst?: (unserved: Unserved, run: Run) => Promise<Part[]>,
  ): Measure =>
  async (people, run) => {
    const { databases, options, say } = run
    const unserved = await openUnserved(databases, people, options, say)
    const first = (await measureFirst?.(unserved, run)) ?? []
    const stand = await serve(unserved, databases, options)
    const measured = { parts: [...first, ...(await measure(stand, run))], version: await versionOf(stand.url) }
    await stand.drop()
    return measured
  }

const measurePlain: Measure = async (people, { databases, load, options, say }) => {
  const stand = await openPlainStand(databases, people, options, say)
  const measured = {
    parts: await measureBesidePlain({ stand, databases, load, options, say }),
    version: await versionOf(stand.url),
  }
  await stand.stop()
  await stand.drop()
  return measured
}

const measureItself: Measure = async (waiting, run) => {
  const { parts, url, drop } = await measureAutomation(waiting, run)
  const measured = { parts, version: await versionOf(url) }
  await drop()
  return measured
}

const measures: Readonly<Record<SetName, Measure>> = {
  basics: onSeeded(measureBasics),
  depth: onSeeded(measureDepth, measureUnindexed),
  access: onSeeded(measureAccess),
  plain: measurePlain,
  automation: measureItself,
}

async function measureSet(set: SetName, options: Options): Promise<Results[]> {
  const results: Results[] = []
  for (const database of options.databases) {
    const databases = await openDatabases(database, options.keptIn)
    const load = startLoad()
    try {
      for (const people of options.scales[set]) {
        const say: Say = (text) => write(`${database}, ${people}: ${text}`)
        const { parts, version } = await measures[set](people, { databases, load, options, say })
        const measured: Results = { database, people, parts }
        if (options.isWorthKeeping) await keepResults(set, measured, version, options)
        results.push(measured)
      }
    } finally {
      load.stop()
      await stopServers()
      await databases.close()
    }
  }
  return results
}

async function measureAll(options: Options): Promise<void> {
  for (const set of setNames) {
    if (!namesOf(set).some((name) => options.measurements.includes(name))) continue
    process.stdout.write(`${tables(await measureSet(set, options))}\n`)
  }
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options === undefined) process.stdout.write(help)
  else await measureAll(options)
} catch (error) {
  write(error instanceof Error ? (error.stack ?? error.message) : String(error))
  process.exitCode = 1
}
