import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { startServer, startWorker } from '../../harness/server-process.ts'
import { until } from '../../harness/until.ts'

type Settings = Readonly<Record<string, string>>

type Process = {
  readonly origin: string
  readonly pid: number
  readonly output: () => string
  readonly kill: () => Promise<unknown>
  readonly terminate: () => Promise<number | null>
}

const program = new URL('move-clock.ts', import.meta.url)

/** A busy machine takes long to start a process. */
const startMs = 120_000

/** A server or a worker of the installation, which is started again with the same settings. */
export class Node {
  readonly name: string
  readonly isServer: boolean
  /** The output of the processes that are gone. */
  readonly #outputs: string[] = []
  readonly #start: () => Promise<Process>
  readonly #clockFile: string
  #process: Process | undefined

  constructor(name: string, kind: 'server' | 'worker', databaseUrl: string, settings: Settings) {
    this.name = name
    this.isServer = kind === 'server'
    this.#clockFile = join(tmpdir(), `kontor-clock-${process.pid}-${name.replaceAll(' ', '-')}`)
    const all = { ...settings, NODE_OPTIONS: `--import ${program.href}`, CLOCK_FILE: this.#clockFile }
    this.#start = async () => {
      if (kind === 'worker') return startWorker(databaseUrl, all)
      const server = await startServer(databaseUrl, all)
      return { ...server, origin: new URL(server.baseUrl).origin }
    }
    onTestFinished(() => rmSync(this.#clockFile, { force: true }))
  }

  /** Its address; undefined while it does not run. */
  get origin(): string | undefined {
    return this.#process?.origin
  }

  async start(): Promise<void> {
    this.#process = await this.#start()
  }

  async kill(): Promise<void> {
    const dead = this.#process
    this.#process = undefined
    await dead?.kill()
    this.#outputs.push(dead?.output() ?? '')
  }

  /** Ends it as a service manager does; returns its exit code. */
  async terminate(): Promise<number | null | undefined> {
    const code = await this.#process?.terminate()
    this.#outputs.push(this.#process?.output() ?? '')
    this.#process = undefined
    return code
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    if (this.#process !== undefined) process.kill(this.#process.pid, signal)
  }

  /** Sets its clock ahead or back, against the one of the machine. */
  moveClock(ms: number): void {
    writeFileSync(this.#clockFile, String(ms))
    if (this.#process !== undefined) process.kill(this.#process.pid, 'SIGUSR2')
  }

  async untilReady(): Promise<void> {
    let status: unknown
    const isReady = async (): Promise<boolean> => {
      const response = await fetch(`${this.origin}/readyz`).catch(() => undefined)
      status = response === undefined ? 'no response' : await response.text()
      return response?.status === 200
    }
    await until(isReady, { withinMs: startMs, everyMs: 100, what: () => `${this.name} is ready: ${String(status)}` })
  }

  /** The lines of level error and fatal that its processes have written. */
  errors(): string[] {
    const outputs = [...this.#outputs, this.#process?.output() ?? '']
    return outputs.flatMap((output) => output.split('\n').filter((line) => /"level":[56]0/.test(line)))
  }
}
