import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startProgram, type Program } from './processes.ts'

const path = (file: string): string => fileURLToPath(new URL(`../../packages/${file}`, import.meta.url))

const nextVersion = { NODE_OPTIONS: `--import=${fileURLToPath(new URL('next-version.ts', import.meta.url))}` }

/** A server or a worker, which is started again with the same settings. */
export class Node {
  readonly name: string
  readonly #start: (version: Settings) => Promise<Program>
  #program: Program | undefined
  #version: Settings = {}

  constructor(name: string, start: (version: Settings) => Promise<Program>) {
    this.name = name
    this.#start = start
  }

  async start(): Promise<void> {
    this.#program = await this.#start(this.#version)
  }

  /** Ends it as a service manager does, and starts the next version in its place. */
  async upgrade(): Promise<void> {
    this.#version = nextVersion
    await this.restart()
  }

  /** Ends it as a service manager does, and starts it again. */
  async restart(): Promise<void> {
    await this.end('SIGTERM')
    await this.start()
  }

  /** Ends it as a crash does, and starts it again. */
  async crash(): Promise<void> {
    await this.end('SIGKILL')
    await this.start()
  }

  /** Stops it for a while, as a machine does that has no more memory. */
  async pause(ms: number): Promise<void> {
    this.#program?.child.kill('SIGSTOP')
    await sleep(ms)
    this.#program?.child.kill('SIGCONT')
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    await this.#program?.end(signal)
  }
}

type Settings = Readonly<Record<string, string>>

const environment = (settings: Settings): NodeJS.ProcessEnv => ({ ...process.env, ...settings })

/** A server that only serves requests, at a port. */
export const serverNode = (port: number, settings: Settings): Node =>
  new Node(`server at ${port}`, (version) =>
    startProgram(process.execPath, [path('server/src/main.ts')], {
      env: environment({ ...settings, ...version, KONTOR_JOBS: '0', PORT: String(port), DRAIN_MS: '1500' }),
      ready: /API\s+http/,
    }),
  )

/** A worker, which runs jobs and serves nothing but its health. */
export const workerNode = (number: number, settings: Settings): Node =>
  new Node(`worker ${number}`, (version) =>
    startProgram(process.execPath, [path('cli/src/main.ts'), 'worker'], {
      env: environment({ ...settings, ...version, WORKER_PORT: '0' }),
      ready: /Health\s+http/,
    }),
  )

/** Restarts or upgrades one node after the other, each once the one before it is ready. */
export async function inTurn(nodes: readonly Node[], change: 'restart' | 'upgrade'): Promise<void> {
  for (const node of nodes) {
    await node[change]()
    // Until the proxy has seen it.
    await sleep(1000)
  }
}
