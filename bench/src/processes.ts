import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { BareOptions } from './bare.ts'
import type { FloorOptions } from './floor.ts'
import type { LoadResult, LoadSpec } from './load.ts'
import type { Options } from './options.ts'
import type { PlainOptions } from './plain/server.ts'
import { cpuMsOf, residentBytesOf } from './usage.ts'

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const mainScript = pathOf('../../packages/server/src/main.ts')
const floorScript = pathOf('floor.ts')
const bareScript = pathOf('bare.ts')
const plainScript = pathOf('plain/server.ts')
const loadScript = pathOf('load.ts')

export type Server = {
  readonly port: number
  readonly pid: number
  /** From the start of the process to its first answer. */
  readonly startedMs: number
  /** CPU time that the process and those that it started have used so far; undefined where the system does not tell. */
  readonly cpuMs: () => number | undefined
  readonly residentBytes: () => number | undefined
  readonly stop: () => Promise<void>
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const profiling = (folder: string | undefined, name: string): string[] =>
  folder === undefined ? [] : ['--cpu-prof', '--cpu-prof-interval=200', `--cpu-prof-dir=${folder}/${name}`]

/** The options that `npm start` hands to Node. */
const startOptions = (
  JSON.parse(readFileSync(pathOf('../../package.json'), 'utf8')) as { readonly scripts: { readonly start: string } }
).scripts.start
  .split(' ')
  .filter((word) => word.startsWith('--'))

/** The server as an operator starts it; the rate limit is at work, too high to be reached. */
export async function startKontor(
  databaseUrl: string,
  dataDir: string,
  options: Partial<Pick<Options, 'profileTo'>>,
  settings: Readonly<Record<string, string>> = {},
): Promise<Server & { readonly baseUrl: string }> {
  const port = await freePort()
  const all = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    PORT: String(port),
    LOG_LEVEL: 'warn',
    KONTOR_DEMO: '0',
    RATE_LIMIT_PER_MINUTE: '1000000000',
    ...settings,
  }
  const server = await start([...startOptions, ...profiling(options.profileTo, 'ours'), mainScript], port, all)
  return { ...server, baseUrl: `http://127.0.0.1:${port}/v1` }
}

export async function startFloor(
  options: Omit<FloorOptions, 'port'>,
  { profileTo }: Pick<Options, 'profileTo'>,
): Promise<Server> {
  const port = await freePort()
  return start([...profiling(profileTo, 'floor'), floorScript, JSON.stringify({ ...options, port })], port, {})
}

export async function startBare(options: Omit<BareOptions, 'port'>): Promise<Server> {
  const port = await freePort()
  return start([bareScript, JSON.stringify({ ...options, port } satisfies BareOptions)], port, {})
}

/** As an operator starts a program of Express. */
export async function startPlain(
  options: Omit<PlainOptions, 'port'>,
  { profileTo }: Pick<Options, 'profileTo'>,
): Promise<Server> {
  const port = await freePort()
  const sent = JSON.stringify({ ...options, port } satisfies PlainOptions)
  return start([...profiling(profileTo, 'plain'), plainScript, sent], port, { NODE_ENV: 'production' })
}

const running = new Set<ChildProcess>()

/** Whatever a run that failed has left behind. */
export const stopServers = async (): Promise<void> => void (await Promise.all([...running].map(stop)))

async function start(
  args: readonly string[],
  port: number,
  settings: Readonly<Record<string, string>>,
): Promise<Server> {
  const started = performance.now()
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...settings },
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error('A server ended at once; its reason stands above')
    await sleep(2)
  }
  const startedMs = performance.now() - started
  const pid = child.pid as number
  return {
    port,
    pid,
    startedMs,
    cpuMs: () => cpuMsOf(pid),
    residentBytes: () => residentBytesOf(pid),
    stop: () => stop(child),
  }
}

/** Any answer will do but that it still starts: the floor knows no /readyz, and ours listens before it is ready. */
async function answers(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(5000) })
    await response.arrayBuffer()
    return response.status !== 503
  } catch {
    return false
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}

export type Load = { readonly run: (spec: LoadSpec) => Promise<LoadResult>; readonly stop: () => void }

export function startLoad(): Load {
  const child = fork(loadScript, { execArgv: [] })
  return {
    run: (spec) =>
      new Promise((resolve, reject) => {
        const failed = () => reject(new Error('The load generator ended; its reason stands above'))
        child.once('exit', failed)
        child.once('message', (result: LoadResult) => {
          child.off('exit', failed)
          resolve(result)
        })
        child.send(spec)
      }),
    stop: () => {
      if (child.connected) child.disconnect()
    },
  }
}
