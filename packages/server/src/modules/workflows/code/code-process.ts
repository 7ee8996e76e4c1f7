import { fork, type ChildProcess } from 'node:child_process'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Ended, FromProcess, HostAnswer, HostCall, Limits, Program, ToProcess } from './protocol.ts'

/** What a program may ask of the server. */
export type CodeHost = {
  /** Carries out a call; rejects only with what ends the program. */
  readonly call: (call: HostCall) => Promise<HostAnswer>
  readonly line: (line: string) => void
}

/** The process could not run the program to its end, for no reason of the program's own. */
export class CodeProcessFailure extends Error {
  override readonly name = 'CodeProcessFailure'
}

const processEnded = () => new CodeProcessFailure('The process of the program has ended.')

type Running = {
  readonly host: CodeHost
  readonly limits: Limits
  readonly resolve: (ended: Ended) => void
  readonly reject: (error: unknown) => void
  readonly wall: NodeJS.Timeout
  /** Runs while the program computes. */
  busy: NodeJS.Timeout | undefined
  calls: number
  open: number
}

/**
 * Memory of a process beside that of the program, which WebAssembly counts apart: what crosses the border, and lodash
 * as a text.
 */
const heapMiB = 128

/** Depth of calls in the process, in KiB: each level of the parser of QuickJS takes some. */
const stackKiB = 3900

const arguments_ = [
  '--permission',
  '--allow-fs-read=*',
  '--disallow-code-generation-from-strings',
  '--disable-warning=ExperimentalWarning',
  `--max-old-space-size=${heapMiB}`,
  `--stack-size=${stackKiB}`,
]

/**
 * One process for programs, which run one after the other. A process and not a thread: it can be killed whatever it
 * does, it does without the settings and rights of the server, and flags of V8 that the server sets are not its own.
 */
export class CodeProcess {
  readonly #process: ChildProcess
  readonly #onEnd: () => void
  #running: Running | undefined
  #isReady = false
  #hasEnded = false

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd
    this.#process = fork(fileURLToPath(new URL('process.ts', import.meta.url)), {
      execArgv: arguments_,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // No setting of the server, which may hold passwords.
      env: { TZ: 'UTC' },
    })
    if (this.#process.pid !== undefined) lower(this.#process.pid)
    this.#process.on('message', (message: FromProcess) => this.#take(message))
    this.#process.on('error', (error) => this.end(error))
    this.#process.on('exit', () => this.end(processEnded()))
    this.#hold(false)
  }

  get isFree(): boolean {
    return this.#running === undefined && !this.#hasEnded
  }

  /** Runs a program; rejects where the signal is aborted, or the process fails, and the process has ended then. */
  run(program: Program, limits: Limits, host: CodeHost, signal: AbortSignal): Promise<Ended> {
    if (this.#hasEnded) return Promise.reject(processEnded())
    const { promise, resolve, reject } = Promise.withResolvers<Ended>()
    const wall = setTimeout(() => this.#exceed(`The program took more than ${limits.wallMs / 1000} s.`), limits.wallMs)
    this.#running = { host, limits, resolve, reject, wall, busy: undefined, calls: 0, open: 0 }
    this.#hold(true)
    if (this.#isReady) this.#watch()
    const stop = () => this.end(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    this.#send({ run: program, limits })
    return promise.finally(() => signal.removeEventListener('abort', stop))
  }

  /** Ends the process, whatever it is doing. */
  end(reason: unknown): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#settle((running) => running.reject(reason))
    this.#process.kill('SIGKILL')
    this.#onEnd()
  }

  #take(message: FromProcess): void {
    if ('ready' in message) this.#isReady = true
    const running = this.#running
    if (running === undefined || this.#hasEnded) return
    if ('ready' in message) this.#watch()
    else if ('line' in message) running.host.line(message.line)
    else if ('call' in message) void this.#call(running, message.call)
    else this.#settle(({ resolve }) => resolve(message.ended))
  }

  async #call(running: Running, call: HostCall): Promise<void> {
    if (++running.calls > running.limits.callsMax)
      return this.end(new CodeProcessFailure('The process makes more calls than a program may.'))
    running.open++
    clearTimeout(running.busy)
    try {
      const answer = await running.host.call(call)
      if (this.#running !== running) return
      running.open--
      this.#watch()
      this.#send({ answer })
    } catch (error) {
      if (this.#running === running) this.end(error)
    }
  }

  /** The program ends itself where it computes for too long, but not inside of one long function of the language. */
  #watch(): void {
    const running = this.#running
    if (running === undefined || running.open > 0) return
    clearTimeout(running.busy)
    const { busyMs } = running.limits
    const stop = () => this.#exceed(`The program computed for more than ${busyMs / 1000} s without an answer.`)
    running.busy = setTimeout(stop, busyMs)
  }

  #exceed(message: string): void {
    this.#settle(({ resolve }) => resolve({ code: 'code_time_exceeded', message }))
    this.end(undefined)
  }

  #settle(tell: (running: Running) => void): void {
    const running = this.#running
    if (running === undefined) return
    this.#running = undefined
    clearTimeout(running.wall)
    clearTimeout(running.busy)
    this.#hold(false)
    tell(running)
  }

  #send(message: ToProcess): void {
    this.#process.send(message, (error) => error !== null && this.end(error))
  }

  /** Only a process at work keeps the server's alive. */
  #hold(isAtWork: boolean): void {
    const change = isAtWork ? 'ref' : 'unref'
    this.#process[change]()
    this.#process.channel?.[change]()
  }
}

/** Of a busy processor, requests get three times as much as a program. */
const niceness = 5

function lower(pid: number): void {
  try {
    setPriority(pid, niceness)
  } catch {
    // It has ended already, or the system does not let us.
  }
}
