/**
 * Answers as they are beside the same ones compressed: bytes, and requests a second of one server with the sample data.
 */
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readOptions, type DatabaseName, type Options } from './options.ts'
import { openDatabases } from './databases.ts'
import { startKontor, startLoad, stopServers, type Load } from './processes.ts'
import { measureRates, type Contender } from './rates.ts'

const records = (object: string, limit: number): string =>
  `/v1/workspaces/acme/objects/${object}/resources?page%5Blimit%5D=${limit}`

const answers: readonly (readonly [what: string, path: string])[] = [
  ['one record in a list', records('person', 1)],
  ['list of 50', records('person', 50)],
  ['list of 1,000', records('task', 1000)],
  ['OpenAPI document', '/v1/openapi.json'],
  ['reference', '/docs/'],
  ['guide', '/docs/guides/connect-an-app'],
]

/** One caller at a time shows what an answer costs in time, many what it costs in work. */
const connections = [1, 8] as const

/** By the length that was sent: `fetch` unpacks what came. */
async function bytesOf({ port, headers }: Contender, path: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
  await response.arrayBuffer()
  return Number(response.headers.get('content-length'))
}

type Measured = {
  readonly load: Load
  readonly plain: Contender
  readonly options: Options
  readonly say: (text: string) => void
}

async function lineOf(
  { load, plain, options, say }: Measured,
  [what, path]: (typeof answers)[number],
  encoding: string,
): Promise<string> {
  const packed = { ...plain, headers: { ...plain.headers, 'Accept-Encoding': encoding } }
  const [before, after] = [await bytesOf(plain, path), await bytesOf(packed, path)]
  const request = { method: 'GET' as const, paths: [path] }
  const cells: string[] = []
  for (const many of connections) {
    const sides = { other: { of: plain, request }, ours: { of: packed, request } }
    const pair = {
      what: `${what}, ${encoding}, ${many} at once`,
      atLeast: 0,
      beside: 'as it is',
      connections: many,
      ...sides,
    }
    const { ratio, ours, other } = await measureRates(load, pair, options, say)
    cells.push(other.perSecond.toFixed(0), ours.perSecond.toFixed(0), ratio.toFixed(2))
  }
  return `| ${[what, encoding, before, after, (after / before).toFixed(2), ...cells].join(' | ')} |`
}

async function measure(database: DatabaseName, options: Options): Promise<void> {
  const say = (text: string) => void process.stderr.write(`${database}: ${text}\n`)
  const databases = await openDatabases(database, undefined)
  const load = startLoad()
  try {
    const dataDir = join(databases.folder, 'data')
    await mkdir(dataDir, { recursive: true })
    const server = await startKontor(await databases.create('compression'), dataDir, {}, { KONTOR_DEMO: '1' })
    const key = (await readFile(join(dataDir, 'demo-api-key'), 'utf8')).trim()
    // Said by name, since `fetch` would ask for what it can unpack.
    const headers = { Authorization: `api-key ${key}`, 'Accept-Encoding': 'identity' }
    const plain = { port: server.port, server, headers }
    const heads = connections.flatMap((many) => [`plain/s, ${many}`, `compressed/s, ${many}`, 'ratio'])
    const columns = [database, 'by', 'plain bytes', 'compressed', 'ratio', ...heads]
    process.stdout.write(`| ${columns.join(' | ')} |\n|${' --- |'.repeat(columns.length)}\n`)
    for (const answer of answers) {
      for (const encoding of ['gzip', 'br']) {
        process.stdout.write(`${await lineOf({ load, plain, options, say }, answer, encoding)}\n`)
      }
    }
  } finally {
    load.stop()
    await stopServers()
    await databases.close()
  }
}

const options = readOptions(process.argv.slice(2))
for (const database of options?.databases ?? []) await measure(database, options as Options)
