import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { Random } from '../../harness/random.ts'
import type { DatabaseProxy } from './database-proxy.ts'
import type { Installation, Place } from './installation.ts'

type Target = Pick<Installation, 'nodes'> & Place

/** Does harm, and returns what it did once its cause is gone. */
type Strike = (target: Target, random: Random) => Promise<string>

type Fault = { readonly kind: string; readonly times: number; readonly needs?: keyof Place; readonly strike: Strike }

const minuteMs = 60_000

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

/** So long a lasting fault lasts, at least and at most. */
const lastsMs = [500, 5000] as const

/** Kills a server or worker while another fault lasts, now and then. */
async function killMeanwhile({ nodes }: Target, random: Random, ms: number): Promise<() => Promise<string>> {
  if (!random.chance(0.25)) {
    await sleep(ms)
    return async () => ''
  }
  const node = random.pick(nodes)
  const before = random.between(0, ms)
  await sleep(before)
  await node.kill()
  await sleep(ms - before)
  return async () => {
    await node.start()
    return `; meanwhile killed ${node.name}`
  }
}

/** A fault that lasts for a while: `begin` returns its description. */
const during =
  (
    begin: (target: Target, random: Random) => string | Promise<string>,
    end: (target: Target) => void | Promise<void>,
  ): Strike =>
  async (target, random) => {
    const ms = random.between(...lastsMs)
    const what = await begin(target, random)
    const restart = await killMeanwhile(target, random, ms)
    await end(target)
    return `${what} for ${seconds(ms)}${await restart()}`
  }

/** Ends the connections of all servers and workers, and returns their number. */
async function terminateBackends(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const others = 'datname = current_database() and pid <> pg_backend_pid()'
    const { rowCount } = await client.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${others}`)
    return rowCount ?? 0
  } finally {
    await client.end()
  }
}

const onNodes: readonly Fault[] = [
  {
    kind: 'kill',
    times: 5,
    strike: async ({ nodes }, random) => {
      const node = random.pick(nodes)
      const ms = random.between(0, 2000)
      await node.kill()
      await sleep(ms)
      await node.start()
      return `killed ${node.name}, and started it after ${seconds(ms)}`
    },
  },
  {
    kind: 'suspend',
    times: 2,
    strike: async ({ nodes }, random) => {
      const node = random.pick(nodes)
      const ms = random.between(500, 9000)
      node.signal('SIGSTOP')
      await sleep(ms)
      node.signal('SIGCONT')
      return `suspended ${node.name} for ${seconds(ms)}`
    },
  },
  {
    kind: 'clock',
    times: 2,
    strike: async ({ nodes }, random) => {
      const node = random.pick(nodes)
      const minutes = random.between(1, 60) * (random.chance(0.5) ? 1 : -1)
      const ms = random.between(...lastsMs)
      node.moveClock(minutes * minuteMs)
      await sleep(ms)
      node.moveClock(0)
      return `moved the clock of ${node.name} by ${minutes} minutes for ${seconds(ms)}`
    },
  },
]

const fullDisk: Fault = {
  kind: 'disk',
  times: 2,
  needs: 'disk',
  strike: during(
    ({ disk }) => {
      disk?.fill()
      return 'filled the disk'
    },
    ({ disk }) => disk?.free(),
  ),
}

const stopPostgres = (end: 'stop' | 'quit' | 'kill', what: string): Fault => ({
  kind: `postgres-${end}`,
  times: 1,
  needs: 'postgres',
  strike: during(
    async ({ postgres }) => {
      await postgres?.[end]()
      return what
    },
    ({ postgres }) => postgres?.start(),
  ),
})

const onPostgres: readonly Fault[] = [
  {
    kind: 'terminate',
    times: 1,
    needs: 'postgres',
    strike: async ({ url }) => `terminated ${await terminateBackends(url)} backends`,
  },
  stopPostgres('stop', 'stopped Postgres (fast)'),
  stopPostgres('quit', 'stopped Postgres (immediate)'),
  stopPostgres('kill', 'killed Postgres'),
]

const onNetwork = (kind: string, begin: (network: DatabaseProxy, random: Random) => string): Fault => ({
  kind,
  times: 1,
  needs: 'network',
  strike: during(
    ({ network }, random) => (network === undefined ? '' : begin(network, random)),
    ({ network }) => network?.open(),
  ),
})

const onNetworks: readonly Fault[] = [
  onNetwork('cut', (network) => {
    network.cut()
    return 'cut the network'
  }),
  onNetwork('stall', (network) => {
    network.stall()
    return 'stalled the network'
  }),
  onNetwork('slow', (network, random) => {
    const ms = random.between(10, 120)
    network.slow(ms)
    return `slowed the network by ${ms} ms`
  }),
  {
    kind: 'reset',
    times: 1,
    needs: 'network',
    strike: async ({ network }) => `reset ${network?.reset()} connections`,
  },
  {
    kind: 'silence',
    times: 1,
    needs: 'network',
    strike: async ({ network }) => `silenced ${network?.silence()} connections`,
  },
]

/** Kinds to choose from: all, or those that `KONTOR_FAULTS` names, separated by commas. */
const chosen = process.env['KONTOR_FAULTS']?.split(',')

/** Faults in an order that the seed determines: all that apply, each so many times, and then again. */
export function planFaults(target: Target, count: number, seed: number): Fault[] {
  const all = [...onNodes, fullDisk, ...onPostgres, ...onNetworks]
  const deck = all
    .filter(
      ({ kind, needs }) => (needs === undefined || target[needs] !== undefined) && chosen?.includes(kind) !== false,
    )
    .flatMap((fault) => Array.from({ length: fault.times }, () => fault))
  const plan: Fault[] = []
  for (let turn = 0; plan.length < count; turn++) plan.push(...new Random(seed, turn).shuffled(deck))
  return plan.slice(0, count)
}
