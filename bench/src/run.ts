import { basicsPair } from './basics.ts'
import { assertSameFilters } from './compare.ts'
import { containsPairs, equalPairs, farPairs, feedPairs, growthPairs, indexedLists, tracesPairs } from './depth.ts'
import { measureEvolution } from './evolution.ts'
import type { Fact } from './facts.ts'
import { measureFirstFilter } from './first-filter.ts'
import { awaitIndexes } from './indexes.ts'
import { help, namesOf, readOptions, type BasicsName, type DepthName, type Options, type SetName } from './options.ts'
import { openPlace, type Place } from './place.ts'
import { startBare, startLoad, stopServers, type Load } from './processes.ts'
import { measureRates, type Pair, type Rates } from './rates.ts'
import { includePairs, relatedPairs } from './related.ts'
import { measureRemoval } from './removal.ts'
import { tables, versionOf, writeResults, type Results } from './report.ts'
import { measureStages, type StageTimes } from './stages.ts'
import { openStand, type Stand } from './stand.ts'
import { measureStart } from './start.ts'

type Say = (text: string) => void
type Measured = { readonly rates: Rates[]; readonly facts: Fact[]; readonly stages: StageTimes[] }

const write: Say = (text) => void process.stderr.write(`${text}\n`)

/** What measuring needs beside a stand. */
type Run = { readonly place: Place; readonly load: Load; readonly options: Options; readonly say: Say }

async function measureBasics(stand: Stand, { place, load, options, say }: Run): Promise<Measured> {
  const names = namesOf('basics').filter((name): name is BasicsName => options.measurements.includes(name))
  const rates: Rates[] = []
  for (const name of names) {
    if (name !== 'start' && name !== 'stages') rates.push(await measureRates(load, await basicsPair(name, stand), options, say))
  }
  await stand.stop()
  const stages = names.includes('stages') ? await measureStages(stand.url, stand.seeded, stand.authorization, options.isQuick ? 200 : 2000) : []
  const facts = names.includes('start') ? await measureStart(stand.url, place.folder, options, say) : []
  return { rates, facts, stages }
}

async function measureDepth(stand: Stand, run: Run): Promise<Measured> {
  const { place, load, options, say } = run
  const wants = (name: DepthName) => options.measurements.includes(name)
  const rates: Rates[] = []
  const compare = async (pairs: readonly Pair[]) => {
    for (const pair of pairs) rates.push(await measureRates(load, pair, options, say))
  }
  // First of all, since it must be the first to ask.
  const facts = wants('unindexed') ? await measureFirstFilter(stand, place.folder, options, say) : []
  await awaitIndexes(stand.url, stand.ours, indexedLists(stand), say)
  await assertSameFilters(stand)
  if (wants('contains')) await compare(containsPairs(stand))
  if (wants('equal')) await compare(equalPairs(stand))
  if (wants('far')) await compare(await farPairs(stand))
  if (wants('feed')) await compare(feedPairs(stand))
  if (wants('include')) await compare(includePairs(stand))
  if (wants('related')) await compare(await relatedPairs(stand, say))
  if (wants('growth')) await beside(stand, run, compare)
  if (wants('remove')) facts.push(...(await measureRemoval(stand, say)))
  if (wants('traces')) {
    const server = await startBare({ databaseUrl: stand.url })
    await compare(tracesPairs(stand, { ...stand.ours, port: server.port, server }))
    await server.stop()
  }
  // Last, since it takes a field away that others ask for.
  if (wants('evolve')) facts.push(...(await measureEvolution(stand, options, say)))
  await stand.stop()
  return { rates, facts, stages: [] }
}

/** Measures beside the smallest of the databases, where this is a larger one. */
async function beside(stand: Stand, { place, options, say }: Run, compare: (pairs: readonly Pair[]) => Promise<void>): Promise<void> {
  if (stand.seeded.people <= options.smallest) return
  const smaller = await openStand(place, options.smallest, options, say)
  await awaitIndexes(smaller.url, smaller.ours, indexedLists(smaller), say)
  await compare(growthPairs(smaller, stand))
  await smaller.stop()
  await smaller.drop()
}

const measures = { basics: measureBasics, depth: measureDepth }

async function measureSet(set: SetName, options: Options): Promise<Results[]> {
  const results: Results[] = []
  for (const database of options.databases) {
    const place = await openPlace(database, options.keptIn)
    const load = startLoad()
    try {
      for (const people of options.scales[set]) {
        const say: Say = (text) => write(`${database}, ${people}: ${text}`)
        const stand = await openStand(place, people, options, say)
        const measured = await measures[set](stand, { place, load, options, say })
        results.push({ database, people, version: await versionOf(stand.url), ...measured })
        await stand.drop()
      }
    } finally {
      load.stop()
      await stopServers()
      await place.close()
    }
  }
  return results
}

async function measure(options: Options): Promise<void> {
  for (const set of ['basics', 'depth'] as const) {
    const names = namesOf(set)
    if (!names.some((name) => options.measurements.includes(name))) continue
    const results = await measureSet(set, options)
    process.stdout.write(`${tables(results)}\n`)
    // Only the whole of a set is worth keeping.
    const isWhole = options.isWorthKeeping && options.databases.length === 2 && names.every((name) => options.measurements.includes(name))
    if (isWhole) await writeResults(set, results, options)
  }
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options === undefined) process.stdout.write(help)
  else await measure(options)
} catch (error) {
  write(error instanceof Error ? (error.stack ?? error.message) : String(error))
  process.exitCode = 1
}
