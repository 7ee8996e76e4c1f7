/**
 * Listeners of the stream of events: what 10,000 idle ones hold in memory, and how long an event takes to another one
 * under 100 changes a second. `node bench/src/streams.ts [database-url] [listeners]`; SQLite in a folder of its own by
 * default. The limit of open files must be above the number of listeners.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openAdmin, readConfig } from '@kontor/server/admin'
import { startKontor, stopServers } from './processes.ts'

const [, , givenUrl, givenCount] = process.argv
const listeners = Number(givenCount ?? 10_000)
const mibMax = 300
const p95MsMax = 200
const changesPerSecond = 100
const changes = 1000

const folder = await mkdtemp(join(tmpdir(), 'kontor-streams-'))
const url = givenUrl ?? `sqlite:${join(folder, 'kontor.db')}`

/** Opens a stream; it is read, since it would be cut off otherwise. */
const listen = (baseUrl: string, workspace: string, key: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { Authorization: `api-key ${key}` }
    const request = get(
      `${baseUrl}/workspaces/${workspace}/events/stream`,
      { agent: new Agent(), headers },
      (answer) => {
        if (answer.statusCode === 200) resolve(answer)
        else reject(new Error(`a listener was answered ${answer.statusCode}`))
      },
    )
    request.once('error', reject)
  })

/** When each event came, by its number, as this process sees it. */
function arrivals(answer: IncomingMessage): number[] {
  const at: number[] = []
  let rest = ''
  answer.on('data', (chunk: Buffer) => {
    rest += chunk.toString()
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) if (block.includes('\ndata: ')) at.push(performance.now())
  })
  return at
}

async function change(baseUrl: string, key: string, number: number): Promise<number> {
  const response = await fetch(`${baseUrl}/workspaces/busy/objects/deal/records`, {
    method: 'POST',
    headers: { Authorization: `api-key ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ data: { type: 'deal', attributes: { name: `Deal ${number}` } } }),
  })
  await response.arrayBuffer()
  if (response.status !== 201) throw new Error(`a change was answered ${response.status}`)
  return performance.now()
}

async function makeWorkspaces(): Promise<(slug: string) => string> {
  const { admin, close } = await openAdmin(readConfig({ DATABASE_URL: url, DATA_DIR: folder }))
  const keys = new Map<string, string>()
  const email = 'admin@example.com'
  for (const slug of ['quiet', 'busy']) {
    await admin.createWorkspace({ slug, name: slug, adminEmail: email })
    const { data } = await admin.createKey({ workspace: slug, email, kind: 'personal', scopes: [], name: 'Streams' })
    keys.set(slug, data.attributes.cleartext_api_key)
  }
  await close()
  return (slug) => keys.get(slug) ?? ''
}

const keyOf = await makeWorkspaces()
const { baseUrl, residentBytes, stop } = await startKontor(url, folder, {})
const mib = (): number => (residentBytes() ?? 0) / 2 ** 20
try {
  await sleep(3000)
  const before = mib()
  for (let open = 0; open < listeners; open += 100) {
    const some = await Promise.all(Array.from({ length: 100 }, () => listen(baseUrl, 'quiet', keyOf('quiet'))))
    for (const answer of some) answer.resume()
  }
  // Longer than a sign of life to each.
  await sleep(45_000)
  const after = mib()
  const held = (after - before).toFixed(0)
  console.log(`${listeners} idle listeners hold ${held} MiB (at most ${mibMax}), the server ${after.toFixed(0)} in all`)
  const arrived = arrivals(await listen(baseUrl, 'busy', keyOf('busy')))
  const sent: Promise<number>[] = []
  for (const began = performance.now(); sent.length < changes;) {
    const made = change(baseUrl, keyOf('busy'), sent.length)
    // A change that fails is told of below, once all have been sent.
    made.catch(() => undefined)
    sent.push(made)
    await sleep(Math.max(0, began + (sent.length * 1000) / changesPerSecond - performance.now()))
  }
  const answered = (await Promise.all(sent)).toSorted((a, b) => a - b)
  while (arrived.length < changes) await sleep(10)
  const took = answered.map((at, index) => (arrived[index] ?? Infinity) - at).toSorted((a, b) => a - b)
  const percentile = (share: number): string => `${(took[Math.floor(took.length * share)] ?? Infinity).toFixed(0)} ms`
  console.log(`from answer to listener: median ${percentile(0.5)}, p95 ${percentile(0.95)} (below ${p95MsMax} ms)`)
} finally {
  await stop()
  await stopServers()
  await rm(folder, { recursive: true })
}
process.exit(0)
