import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { assertSameWork } from './compare.ts'
import { help, readOptions, type DatabaseName, type Options } from './options.ts'
import { makePlace, type Place } from './place.ts'
import { startFloor, startKontor, startLoad } from './processes.ts'
import { findDeepPage, pairOf, type RateMeasurement } from './promises.ts'
import { measureRates, type Contender } from './rates.ts'
import { resultsFile, tables, versionOf, type Results } from './report.ts'
import { seed, type Seeded } from './seed.ts'
import { measureStages } from './stages.ts'
import { measureStart } from './start.ts'

const resultsPath = fileURLToPath(new URL('../RESULTS.md', import.meta.url))

const say = (text: string): void => void process.stderr.write(`${text}\n`)

async function measureDatabase(database: DatabaseName, options: Options): Promise<Results> {
  say(`${database}: making a database`)
  const place = await makePlace(database)
  try {
    const seeded = await seed(place.url, options, (text) => say(`${database}: ${text}`))
    const { rates, authorization } = await measureServers(database, place, seeded, options)
    const wants = (name: string) => (options.measurements as readonly string[]).includes(name)
    const stages = wants('stages') ? await measureStages(place.url, seeded, authorization, options.isQuick ? 200 : 2000) : []
    const start = wants('start') ? await measureStart(place.url, place.folder, options, (text) => say(`${database}: ${text}`)) : undefined
    return { database, version: await versionOf(place.url), rates, start, stages }
  } finally {
    await place.remove()
  }
}

async function measureServers(
  database: DatabaseName,
  place: Place,
  seeded: Seeded,
  options: Options,
): Promise<{ rates: Results['rates']; authorization: string }> {
  const ours = await startKontor(place.url, place.folder, options)
  const { workspaceId, userId, workspace } = seeded
  const floor = await startFloor({ workspaceId, userId, workspace, databaseUrl: place.url, baseUrl: ours.baseUrl }, options)
  const load = startLoad()
  try {
    const authorization = `api-key ${await createKey(ours.baseUrl, seeded)}`
    const us: Contender = { port: ours.port, headers: { Authorization: authorization }, server: ours }
    const them: Contender = { port: floor.port, headers: {}, server: floor }
    await assertSameWork(place.url, seeded, them, us)
    say(`${database}: the floor answers and writes what we do`)
    const names = options.measurements.filter((name): name is RateMeasurement => name !== 'start' && name !== 'stages')
    const deepPage = names.includes('deep') ? await findDeepPage(us, seeded, ours.baseUrl) : ''
    const rates: Results['rates'][number][] = []
    for (const name of names) {
      const pair = pairOf(name, seeded, deepPage)
      rates.push({ pair, rates: await measureRates(load, pair, them, us, options, (text) => say(`${database}: ${text}`)) })
    }
    return { rates, authorization }
  } finally {
    load.stop()
    await Promise.all([ours.stop(), floor.stop()])
  }
}

async function createKey(baseUrl: string, { workspace, token }: Seeded): Promise<string> {
  const response = await fetch(`${baseUrl}/workspaces/${workspace}/api-keys`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ data: { type: 'api-key', attributes: { name: 'Benchmark', actor_type: 'user' } } }),
  })
  if (!response.ok) throw new Error(`no API key: ${await response.text()}`)
  return ((await response.json()) as { data: { attributes: { cleartext_api_key: string } } }).data.attributes.cleartext_api_key
}

async function run(options: Options): Promise<void> {
  const results: Results[] = []
  for (const database of options.databases) results.push(await measureDatabase(database, options))
  process.stdout.write(`${tables(results)}\n`)
  // Only a whole run is worth keeping.
  const isWhole = options.databases.length === 2 && options.measurements.length === 7 && !options.isQuick && options.profileTo === undefined
  if (isWhole) await writeFile(resultsPath, resultsFile(results, options))
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options === undefined) process.stdout.write(help)
  else await run(options)
} catch (error) {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error))
  process.exitCode = 1
}
