import { fork, type ChildProcess } from 'node:child_process'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { memorySignal, timeSignal, type TaskRequest, type TaskResponse } from './protocol.ts'
import { PoolBusy, TaskFailure } from './task.ts'

type Running = {
  readonly wallMs: number
  readonly resolve: (output: Buffer) => void
  readonly reject: (error: unknown) => void
  wall: NodeJS.Timeout | undefined
}

/** Depth of calls in the process, in KiB: each level of a parser takes some. */
const stackKiB = 3900

const argumentsFor = (heapMiB: number): string[] => [
  '--permission',
  '--allow-fs-read=*',
  // For the thread that watches the process, which has no more rights than it.
  '--allow-worker',
  '--disallow-code-generation-from-strings',
  '--disable-warning=ExperimentalWarning',
  '--disable-warning=SecurityWarning',
  `--max-old-space-size=${heapMiB}`,
  `--stack-size=${stackKiB}`,
]

/**
 * One process for tasks, which run one after the other. A process and not a thread: it can be killed whatever it does,
 * it does without the settings and rights of the server, and flags of V8 that the server sets are not its own.
 */
export class TaskProcess {
  readonly heapMiB: number
  readonly #process: ChildProcess
  readonly #onEnd: () => void
  #running: Running | undefined
  #isReady = false
  #hasEnded = false

  constructor(heapMiB: number, onEnd: () => void) {
    this.heapMiB = heapMiB
    this.#onEnd = onEnd
    this.#process = fork(fileURLToPath(new URL('process.ts', import.meta.url)), {
      execArgv: argumentsFor(heapMiB),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // No setting of the server, which may hold passwords.
      env: { TZ: 'UTC' },
    })
    if (this.#process.pid !== undefined) lower(this.#process.pid)
    this.#process.on('message', (message: TaskResponse) => this.#take(message))
    this.#process.on('error', (error) => this.end(this.#isReady ? crashed(String(error)) : notStarted(error)))
    this.#process.on('exit', (code, signal) => this.end(this.#whyEnded(code, signal)))
    this.#hold(false)
  }

  get isFree(): boolean {
    return this.#running === undefined && !this.#hasEnded
  }

  /** Runs a task; rejects with the signal's reason or a `TaskFailure`, and the process has ended then. */
  run(request: TaskRequest, signal?: AbortSignal): Promise<Buffer> {
    if (this.#hasEnded) return Promise.reject(notStarted(undefined))
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    const { wallMs } = request.limits
    this.#running = { wallMs, resolve, reject, wall: undefined }
    this.#hold(true)
    if (this.#isReady) this.#watch()
    const stop = () => this.end(signal?.reason)
    if (signal?.aborted === true) stop()
    signal?.addEventListener('abort', stop, { once: true })
    this.#process.send(request, (error) => error !== null && this.end(crashed(String(error))))
    return promise.finally(() => signal?.removeEventListener('abort', stop))
  }

  /** Ends the process, whatever it is doing. */
  end(reason: unknown): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#settle(({ reject }) => reject(reason))
    this.#process.kill('SIGKILL')
    this.#onEnd()
  }

  #take(message: TaskResponse): void {
    if (this.#hasEnded) return
    if ('ready' in message) {
      this.#isReady = true
      this.#watch()
    } else if ('output' in message) this.#settle(({ resolve }) => resolve(message.output))
    else if ('error' in message) this.#settle(({ reject }) => reject(new Error(`A task has thrown: ${message.error}`)))
    else {
      const tooLarge = `The result has ${message.outputBytes} bytes, which is too much.`
      this.#settle(({ reject }) => reject(new TaskFailure('task_output_too_large', tooLarge)))
    }
  }

  /** The time runs from when the process is ready: its start is not the fault of the task. */
  #watch(): void {
    const running = this.#running
    if (running === undefined) return
    running.wall = setTimeout(() => this.end(timeExceeded()), running.wallMs)
  }

  #whyEnded(code: number | null, signal: NodeJS.Signals | null): Error {
    if (!this.#isReady) return notStarted(`it has ended with ${signal ?? code}`)
    if (signal === timeSignal) return timeExceeded()
    if (signal === memorySignal || signal === 'SIGABRT')
      return new TaskFailure('task_out_of_memory', 'It takes too much memory to process.')
    return crashed(String(signal ?? code))
  }

  #settle(conclude: (running: Running) => void): void {
    const running = this.#running
    if (running === undefined) return
    this.#running = undefined
    clearTimeout(running.wall)
    this.#hold(false)
    conclude(running)
  }

  /** Only a process at work keeps the server's alive. */
  #hold(isAtWork: boolean): void {
    const change = isAtWork ? 'ref' : 'unref'
    this.#process[change]()
    this.#process.channel?.[change]()
  }
}

const timeExceeded = () => new TaskFailure('task_time_exceeded', 'It takes too long to process.')

const crashed = (how: string) => new TaskFailure('task_crashed', `The process has ended while processing it: ${how}.`)

const notStarted = (cause: unknown) => new PoolBusy('No process could be started for the task.', { cause })

/** Of a busy processor, requests get nine times as much as a task. */
const niceness = 10

function lower(pid: number): void {
  try {
    setPriority(pid, niceness)
  } catch {
    // It has ended already, or the system does not let us.
  }
}
