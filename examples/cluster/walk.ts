/**
 * HAProxy before three servers, two workers, and a primary of Postgres with a synchronous standby, all on this machine.
 * Under a constant load the nodes are restarted and upgraded in turn, then harm is done at random, and the standby is
 * promoted after the primary was killed. What was acknowledged is there once, and `kontor doctor --deep` finds no
 * difference.
 *
 * Needs Postgres and HAProxy. SEED repeats the moments of a walk, RATE sets the requests for each second, FAULTS how
 * often harm is done.
 */
import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRestClient, events, followEvents, resources, type RestClient } from '@kontor/client'
import { startReceiver, type Receiver } from '../automation/outside.ts'
import { createWorkflow } from '../automation/workflows.ts'
import { startMailServer, type MailServer } from '../mail-server.ts'
import { createPersonalKey, kontor, kontorText } from '../shell.ts'
import { inNewFolder } from '../stand.ts'
import { step, tell } from '../tell.ts'
import { checkOutside, checkRecords, checkReplicas, checkResponses, settle } from './check.ts'
import { doHarm, type Parts } from './faults.ts'
import { Load, type Target } from './load.ts'
import { inTurn, serverNode, workerNode } from './nodes.ts'
import { promote, startPostgres, type Postgres } from './postgres.ts'
import { endPrograms, freePorts } from './processes.ts'
import { startProxy } from './proxy.ts'

const seed = Number(process.env['SEED'] ?? 1)
const rate = Number(process.env['RATE'] ?? 40)
const faults = Number(process.env['FAULTS'] ?? 8)
const serviceReturnsMs = 10_000

type Cluster = Parts & {
  readonly baseUrl: string
  /** Where the servers listen behind the proxy. */
  readonly ports: readonly number[]
  readonly standby: Postgres
}

async function startCluster(folder: string): Promise<Cluster> {
  const { primary, standby } = await startPostgres(folder)
  const [api, database, ...ports] = (await freePorts(5)) as [number, number, ...number[]]
  const postgres: [string, string] = [primary.socket, standby.socket]
  await startProxy(folder, { api, database, servers: ports, postgres })
  const baseUrl = `http://127.0.0.1:${api}/v1`
  process.env['DATABASE_URL'] = `postgres://postgres@127.0.0.1:${database}/postgres`
  const settings = { BASE_URL: baseUrl, AUTH_URL: `http://127.0.0.1:${api}`, TRUSTED_PROXIES: '127.0.0.1' }
  const reads = { DATABASE_READ_URL: `postgres://postgres@localhost/postgres?host=${dirname(standby.socket)}` }
  const servers = ports.map((port) => serverNode(port, { ...settings, ...reads }))
  const workers = [1, 2].map((number) => workerNode(number, settings))
  // The first migrates the database.
  for (const node of [...servers, ...workers]) await node.start()
  return { baseUrl, ports, servers, workers, primary, standby }
}

async function prepare({ baseUrl }: Cluster, receiver: Receiver): Promise<{ rest: RestClient; target: Target }> {
  const [workspace, email, company] = ['north', 'ada@north.example.com', 'Aker']
  await kontor('workspace', 'create', '--slug', workspace, '--name', 'North', '--admin-email', email)
  const apiKey = await createPersonalKey(workspace, email)
  const rest = createRestClient({ url: baseUrl, apiKey })
  const attributes = { name: company }
  await rest.call(resources.create, { workspace, object: 'company', body: { data: { type: 'company', attributes } } })
  const { workflow, secret } = await createWorkflow(rest, workspace, { person: { email }, receiver: receiver.url })
  receiver.expect(secret)
  return { rest, target: { baseUrl, apiKey, workspace, workflow, company } }
}

/** Follows the events of the workspace, and keeps their numbers in the order in which they come. */
function follow(rest: RestClient, { workspace }: Target) {
  const stopping = new AbortController()
  const sequences: number[] = []
  const ended = (async () => {
    const followed = followEvents(rest, { workspace }, { signal: stopping.signal })
    for await (const { attributes } of followed) sequences.push(attributes.sequence)
  })()
  const stop = async (): Promise<void> => {
    stopping.abort()
    await ended
  }
  return { sequences, stop }
}

/** Kills the primary, promotes the standby, and returns after how many milliseconds a change was acknowledged. */
async function failOver({ primary, standby }: Cluster, load: Load): Promise<number> {
  await primary.end('SIGKILL')
  await sleep(500)
  const promotedAt = performance.now()
  promote(standby)
  while (load.acknowledgedAt < promotedAt) {
    assert.ok(performance.now() - promotedAt < 2 * serviceReturnsMs, 'no change was acknowledged after the promotion')
    await sleep(20)
  }
  return load.acknowledgedAt - promotedAt
}

async function walk(cluster: Cluster, mailServer: MailServer, receiver: Receiver): Promise<void> {
  step(`A workspace, and ${rate} requests for each second (seed ${seed})`)
  const { rest, target } = await prepare(cluster, receiver)
  const load = new Load(target)
  const follower = follow(rest, target)
  load.start(rate)
  await sleep(5000)

  await checkReplicas(cluster.ports)

  step('Restart servers and workers in turn')
  load.phase = 'rolling'
  const nodes = [...cluster.servers, ...cluster.workers]
  await inTurn(nodes, 'restart')

  step('Upgrade servers and workers in turn to a version with one more migration')
  load.phase = 'upgrade'
  await inTurn(nodes, 'upgrade')
  tell((await kontorText('migrate', '--status')).trimEnd().split('\n').at(-1) ?? '')

  step(`Do harm ${faults} times: kill or pause nodes, end connections, restart Postgres`)
  load.phase = 'faults'
  await doHarm(cluster, faults, seed)

  step('Kill the primary, and promote the standby')
  load.phase = 'fail-over'
  const ms = await failOver(cluster, load)
  tell(`the first change was acknowledged ${(ms / 1000).toFixed(1)} s after the promotion`)
  assert.ok(ms < serviceReturnsMs)
  await sleep(8000)
  load.phase = 'after'
  await sleep(5000)
  await load.stop()

  step('Compare what was acknowledged with what is stored')
  checkResponses(load)
  const runs = await settle(rest, target, load)
  assert.deepEqual(new Set(runs), new Set(['success']), 'runs that did not succeed')
  assert.equal(runs.length, load.orders.length)
  await checkRecords(rest, target, load)
  checkOutside(receiver, mailServer, load)
  await sleep(1000)
  await follower.stop()
  const [first = 0] = follower.sequences
  const { body } = await rest.call(events.list, { workspace: target.workspace, limit: 1 })
  assert.equal(follower.sequences.at(-1), body.meta.last_sequence)
  assert.deepEqual(
    follower.sequences,
    Array.from(follower.sequences, (_, at) => first + at),
    'events are missing',
  )
  tell(`${follower.sequences.length} events were followed in order, and none is missing`)

  step('Verify the stored data')
  tell((await kontorText('doctor', '--deep', '--base-url', target.baseUrl)).trimEnd().replaceAll('\n', '\n   '))
}

const mailServer = await startMailServer()
const receiver = await startReceiver()
const settings = {
  SMTP_URL: mailServer.url,
  WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
  ENCRYPTION_KEYS: 'a key of at least thirty-two characters',
  RATE_LIMIT_PER_MINUTE: '0',
  POOL_PROCESSES: '2',
}
try {
  const title = 'Start HAProxy, three servers and two workers on Postgres with a standby'
  const run = async (): Promise<void> => {
    try {
      await walk(await startCluster(String(process.env['DATA_DIR'])), mailServer, receiver)
    } finally {
      await endPrograms()
    }
  }
  await inNewFolder('cluster', settings, run, title)
} finally {
  receiver.stop()
  await mailServer.stop()
}
