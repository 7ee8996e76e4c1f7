import { CodeProcess, CodeProcessFailure, type CodeHost } from './code-process.ts'
import { outputBytesMax } from '../plugins/plugin.ts'
import type { Ended, Limits, Program } from './protocol.ts'

export type CodeRunnerOptions = {
  /** Programs at work at once; each may take a processor. */
  readonly atOnceMax?: number
  /** Longest wait for a free process. */
  readonly waitMs?: number
  /** A process that has had nothing to do for this long ends. */
  readonly idleMs?: number
  readonly limits?: Partial<Limits>
}

const limitsByDefault: Limits = {
  memoryBytes: 64 << 20,
  stackBytes: 256 << 10,
  computeMs: 10_000,
  busyMs: 30_000,
  wallMs: 60_000,
  outputBytes: outputBytesMax,
  callsMax: 1000,
  callsAtOnce: 10,
  callCharacters: 1 << 20,
  logLinesMax: 200,
  logLineMax: 2000,
}

type Waiting = { readonly take: (process: CodeProcess) => void }

/** Runs programs of users in processes of their own, started on demand and ended when there is nothing to do. */
export class CodeRunner {
  readonly limits: Limits
  readonly #atOnceMax: number
  readonly #waitMs: number
  readonly #idleMs: number
  readonly #processes = new Map<CodeProcess, NodeJS.Timeout | undefined>()
  readonly #waiting: Waiting[] = []

  constructor({ atOnceMax = 2, waitMs = 60_000, idleMs = 60_000, limits }: CodeRunnerOptions = {}) {
    this.limits = { ...limitsByDefault, ...limits }
    this.#atOnceMax = atOnceMax
    this.#waitMs = waitMs
    this.#idleMs = idleMs
  }

  /** Processes that there are, at work or not. */
  get processes(): number {
    return this.#processes.size
  }

  /** Runs a program; rejects with the signal's reason, with what `host` rejects with, or a `CodeProcessFailure`. */
  async run(program: Program, host: CodeHost, signal: AbortSignal): Promise<Ended> {
    const process = await this.#acquire(signal)
    try {
      return await process.run(program, this.limits, host, signal)
    } finally {
      this.#release(process)
    }
  }

  /** Ends all processes. */
  close(): void {
    for (const process of this.#processes.keys()) process.end(new CodeProcessFailure('The server stops.'))
  }

  async #acquire(signal: AbortSignal): Promise<CodeProcess> {
    signal.throwIfAborted()
    const free = this.#free()
    if (free !== undefined) return this.#keep(free)
    const { promise, resolve, reject } = Promise.withResolvers<CodeProcess>()
    const waiting = { take: resolve }
    this.#waiting.push(waiting)
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    const busy = new CodeProcessFailure(`No process was free for the program within ${this.#waitMs / 1000} s.`)
    const timer = setTimeout(() => reject(busy), this.#waitMs)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      const index = this.#waiting.indexOf(waiting)
      if (index !== -1) this.#waiting.splice(index, 1)
    }
  }

  #free(): CodeProcess | undefined {
    for (const [process, idle] of this.#processes) if (idle !== undefined) return process
    return this.#processes.size < this.#atOnceMax ? this.#start() : undefined
  }

  #start(): CodeProcess {
    const process: CodeProcess = new CodeProcess(() => {
      clearTimeout(this.#processes.get(process))
      this.#processes.delete(process)
      if (this.#waiting.length > 0) this.#hand(this.#start())
    })
    this.#processes.set(process, undefined)
    return process
  }

  #release(process: CodeProcess): void {
    // One that has ended has been replaced, where it is needed.
    if (process.isFree) this.#hand(process)
  }

  /** Hands a process to the program that waits for it, or lets it rest. */
  #hand(process: CodeProcess): void {
    const next = this.#waiting.shift()
    if (next !== undefined) return next.take(this.#keep(process))
    const idle = setTimeout(() => process.end(undefined), this.#idleMs)
    idle.unref()
    this.#processes.set(process, idle)
  }

  /** Marks a process as taken. */
  #keep(process: CodeProcess): CodeProcess {
    clearTimeout(this.#processes.get(process))
    this.#processes.set(process, undefined)
    return process
  }
}
