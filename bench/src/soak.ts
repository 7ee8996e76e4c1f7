import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { headersOf, inDatabase, makeWorkspace } from './installation.ts'
import { argumentsOf, databaseOr, positiveOr } from './options.ts'
import { startKontor } from './processes.ts'
import { followPersons, startReceiver } from './soak/followers.ts'
import { callerTo, listenTo } from './soak/http.ts'
import { saturate, sendAtRate } from './soak/load.ts'
import { Workspace } from './soak/mix.ts'
import { judge, say, tellPart, whole, type Part } from './soak/report.ts'
import { rowsOf } from './soak/rows.ts'
import { watch } from './soak/watch.ts'
import { waitUntil } from './wait.ts'

const help = `Runs a server for a long time at 80 % of its capacity, and judges its memory and its latencies.

  node bench/src/soak.ts [MINUTES] [sqlite|postgres] [REQUESTS]

Two hours on Postgres by default. A workspace of 10,000 persons with a webhook, a workflow, a dynamic list and a
listener is read and changed: of a hundred requests 64 read and 36 change, which keeps the number of records. The
capacity is that of eight callers who wait for each response, with all that follows their changes. Then requests come at
a constant rate, and a latency begins when its request is due. Exits with 1 if a request fails, the memory grows, the
last ten minutes are slower than the first, an event is lost, or \`kontor doctor --deep\` finds a fault.

REQUESTS, in a second, take the place of the 80 %: beside other programs, two minutes do not show the capacity of hours.
`

const [givenMinutes, givenDatabase, givenRate] = argumentsOf(help)
const minutes = positiveOr(120, givenMinutes)
const partMs = Math.min(10, minutes / 6) * 60_000
const persons = 10_000
const share = 0.8
const callers = 8
const capacityMs = Math.min(120, minutes * 12) * 1000
const settings = {
  WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
  ENCRYPTION_KEYS: 'a key of at least thirty-two characters',
}

/** A server with a workspace that is full and followed. */
async function openSoak(url: string, folder: string) {
  await makeWorkspace(url, folder)
  const headers = await headersOf(url, folder, 'acme')
  const server = await startKontor(url, folder, {}, settings)
  const target = { port: server.port, workspace: 'acme', headers }
  const { call, close: hangUp } = callerTo(target)
  const workspace = new Workspace(call)
  const rows = rowsOf(url)
  const numbered = () => waitUntil(async () => (await rows.waiting()) === 0, 'events have their numbers', 500)
  await workspace.fill(persons)
  await numbered()
  const before = { events: await rows.events(), sent: await rows.toSend() }
  const receiver = await startReceiver()
  const listener = await listenTo(target)
  workspace.list = await followPersons(call, receiver.url)
  /** Numbers of events since then, of those to be sent, and of those that were streamed and delivered. */
  const counts = async () => ({
    events: (await rows.events()) - before.events,
    toSend: (await rows.toSend()) - before.sent,
    streamed: listener.heard(),
    sent: receiver.counts(),
  })
  const settled = async (): Promise<void> => {
    await numbered()
    const { toSend } = await counts()
    await waitUntil(() => Promise.resolve(receiver.counts().events >= toSend), 'webhooks are delivered', 200)
    await waitUntil(async () => (await rows.openRuns()) === 0, 'runs have ended', 500)
  }
  const close = async (): Promise<void> => {
    listener.close()
    hangUp()
    await rows.close()
    receiver.stop()
    await server.stop()
  }
  return { server, workspace, rows, counts, settled, close }
}

/** Requests a second that a server takes, with all that follows them. */
async function capacityOf({ workspace, settled }: Awaited<ReturnType<typeof openSoak>>): Promise<number> {
  const began = performance.now()
  const { all, failures, firstFailure } = await saturate(workspace, callers, capacityMs)
  if (failures > 0) throw new Error(`a request has failed: ${firstFailure}`)
  await settled()
  return (all.length * 1000) / (performance.now() - began)
}

/** Prints what `kontor doctor --deep` has found; returns whether there is a fault, as a sentence. */
async function diagnose(url: string, folder: string, baseUrl: string): Promise<string[]> {
  const program = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url))
  const env = { ...process.env, ...settings, DATABASE_URL: url, DATA_DIR: folder }
  const args = [program, 'doctor', '--deep', '--base-url', baseUrl]
  try {
    console.log((await promisify(execFile)(process.execPath, args, { env })).stdout)
    return []
  } catch (error) {
    console.log((error as { readonly stdout?: string }).stdout ?? String(error))
    return ['kontor doctor --deep has found a fault']
  }
}

const broken: string[] = []
await inDatabase(
  async (url, folder) => {
    const soak = await openSoak(url, folder)
    const { server, workspace, rows, counts, settled } = soak
    const capacity = await capacityOf(soak)
    const perSecond = positiveOr(capacity * share, givenRate)
    say(`${capacity.toFixed(1)} requests/s are the capacity; ${perSecond.toFixed(1)} from now on`)
    const { looks, stop } = watch(server)
    const parts: Part[] = []
    for (let number = 1; number * partMs <= minutes * 60_000; number++) {
      const from = looks.length
      const requests = await sendAtRate(workspace, perSecond, partMs)
      const part = { requests, looks: looks.slice(from) }
      parts.push(part)
      tellPart(`minute ${((number * partMs) / 60_000).toFixed(1)}`, part)
      console.log(`  rows: ${JSON.stringify(await rows.all())}`)
    }
    await stop()
    broken.push(...judge(parts))
    await settled()
    const { events, toSend, streamed, sent } = await counts()
    say(`${whole(events)} events, ${whole(streamed)} streamed`)
    say(`${whole(toSend)} to be sent by the webhook: ${whole(sent.events)} by ${whole(sent.deliveries)} deliveries`)
    if (streamed !== events) broken.push('the stream has missed events')
    if (sent.events !== toSend || sent.deliveries !== toSend) broken.push('deliveries are missing, or were made twice')
    broken.push(...(await diagnose(url, folder, server.baseUrl)))
    await soak.close()
  },
  databaseOr('postgres', givenDatabase),
)
console.log(broken.length === 0 ? 'as promised' : `broken: ${broken.join(', ')}`)
process.exitCode = broken.length === 0 ? 0 : 1
