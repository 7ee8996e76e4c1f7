import { fork, type ChildProcess } from 'node:child_process'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Conversation } from './conversation.ts'
import { memorySignal, timeSignal, type FromProcess, type TaskRequest, type ToProcess } from './protocol.ts'
import { PoolBusy, TaskFailure } from './task.ts'

/** Outcome of a run of a task; a parked task runs again once it has more responses than before. */
export type RunOutcome = { readonly output: Buffer } | { readonly parkedAt: number }

type Running = {
  readonly wallMs: number
  readonly conversation: Conversation | undefined
  readonly resolve: (outcome: RunOutcome) => void
  readonly reject: (error: unknown) => void
  wall: NodeJS.Timeout | undefined
  /** Answers that it has been sent. */
  sent: number
  /** It gets no more: it is being parked. */
  isParking: boolean
  /** Runs while it waits for an answer, until it has waited for so long that it can be parked. */
  waits: NodeJS.Timeout | undefined
  isParkable: boolean
}

type ProcessOptions = {
  readonly heapMiB: number
  /** Shortest wait after which a run is parked. */
  readonly parkAfterMs: number
  readonly onParkable: () => void
  readonly onEnd: () => void
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
  readonly #options: ProcessOptions
  readonly #process: ChildProcess
  #running: Running | undefined
  #isReady = false
  #hasEnded = false

  constructor(options: ProcessOptions) {
    this.#options = options
    this.#process = fork(fileURLToPath(new URL('process.ts', import.meta.url)), {
      execArgv: argumentsFor(options.heapMiB),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // No setting of the server, which may hold passwords.
      env: { TZ: 'UTC' },
    })
    if (this.#process.pid !== undefined) lower(this.#process.pid)
    this.#process.on('message', (message: FromProcess) => this.#take(message))
    this.#process.on('error', (error) => this.end(this.#isReady ? crashed(String(error)) : notStarted(error)))
    this.#process.on('exit', (code, signal) => this.end(this.#whyEnded(code, signal)))
    this.#hold(false)
  }

  get heapMiB(): number {
    return this.#options.heapMiB
  }

  get isFree(): boolean {
    return this.#running === undefined && !this.#hasEnded
  }

  /** Returns whether its task has waited for an answer for so long that its place is better given to another. */
  get isParkable(): boolean {
    return this.#running?.isParkable === true
  }

  /** Runs a task; rejects with the signal's reason or a `TaskFailure`, and the process has ended then. */
  run(request: TaskRequest, conversation?: Conversation, signal?: AbortSignal): Promise<RunOutcome> {
    if (this.#hasEnded) return Promise.reject(notStarted(undefined))
    const { promise, resolve, reject } = Promise.withResolvers<RunOutcome>()
    const sent = request.past.answers.length
    const waiting = { wall: undefined, sent, isParking: false, waits: undefined, isParkable: false }
    this.#running = { wallMs: request.limits.wallMs, conversation, resolve, reject, ...waiting }
    this.#hold(true)
    if (this.#isReady) this.#watch()
    const stop = () => this.end(signal?.reason)
    if (signal?.aborted === true) stop()
    signal?.addEventListener('abort', stop, { once: true })
    this.#send({ run: request })
    const unfollow = conversation?.follow({
      answer: (answer) => this.#answer(answer),
      fail: (error) => this.end(error),
    })
    return promise.finally(() => {
      signal?.removeEventListener('abort', stop)
      unfollow?.()
    })
  }

  /** Has a run that waits end, so that the process is free for another. */
  park(): void {
    if (this.#running?.isParkable !== true) return
    this.#running.isParkable = false
    this.#running.isParking = true
    this.#send({ park: true })
  }

  /** Ends the process, whatever it is doing. */
  end(reason: unknown): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#settle(({ reject }) => reject(reason))
    this.#process.kill('SIGKILL')
    this.#options.onEnd()
  }

  #take(message: FromProcess): void {
    if (this.#hasEnded) return
    const { conversation } = this.#running ?? {}
    if ('ready' in message) {
      this.#isReady = true
      this.#watch()
    } else if ('call' in message) void conversation?.call(message.call)
    else if ('line' in message) conversation?.line(message.line)
    else if ('waits' in message) this.#wait(message.waits)
    else this.#conclude(message)
  }

  #conclude(
    message: Extract<FromProcess, { parked: true } | { output: Buffer } | { outputBytes: number } | { error: string }>,
  ): void {
    if ('parked' in message) this.#settle(({ resolve, sent }) => resolve({ parkedAt: sent }))
    else if ('output' in message) this.#settle(({ resolve }) => resolve({ output: message.output }))
    // Not used again: whatever has thrown may have left its module in pieces, and the next task is somebody else's.
    else if ('error' in message)
      this.end(message.isTooDeep ? tooDeep() : new Error(`A task has thrown: ${message.error}`))
    else {
      const tooLarge = `The result is too large: ${message.outputBytes} bytes.`
      this.#settle(({ reject }) => reject(new TaskFailure('task_output_too_large', tooLarge)))
    }
  }

  #answer(answer: Buffer): void {
    const running = this.#running
    if (running === undefined || running.isParking) return
    running.sent++
    running.isParkable = false
    clearTimeout(running.waits)
    this.#send({ answer })
  }

  /**
   * A run that waits is parked when it has waited for as long as it has computed: then all its later runs together cost
   * no more than the wait in which it would have held the process.
   */
  #wait({ answers, cpuMs }: { readonly answers: number; readonly cpuMs: number }): void {
    const running = this.#running
    if (running === undefined || running.sent !== answers || running.conversation?.isKept !== true) return
    running.waits = setTimeout(
      () => {
        running.isParkable = running.conversation?.isKept === true
        this.#options.onParkable()
      },
      Math.max(this.#options.parkAfterMs, cpuMs),
    )
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
      return new TaskFailure('task_out_of_memory', 'Processing uses too much memory.')
    return crashed(String(signal ?? code))
  }

  #settle(conclude: (running: Running) => void): void {
    const running = this.#running
    if (running === undefined) return
    this.#running = undefined
    clearTimeout(running.wall)
    clearTimeout(running.waits)
    this.#hold(false)
    conclude(running)
  }

  #send(message: ToProcess): void {
    this.#process.send(message, (error) => error !== null && this.end(crashed(String(error))))
  }

  /** Only a process at work keeps the server's alive. */
  #hold(isAtWork: boolean): void {
    const change = isAtWork ? 'ref' : 'unref'
    this.#process[change]()
    this.#process.channel?.[change]()
  }
}

const timeExceeded = () => new TaskFailure('task_time_exceeded', 'Processing takes too long.')

const crashed = (how: string) => new TaskFailure('task_crashed', `The process ended while processing it: ${how}.`)

const tooDeep = () => new TaskFailure('task_crashed', 'It is nested too deeply to process.')

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
