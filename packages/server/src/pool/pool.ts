import { deserialize, serialize } from 'node:v8'
import { FairTurns } from '../lib/fair-turns.ts'
import { handled } from '../lib/promises.ts'
import { Conversation } from './conversation.ts'
import { KeptAnswers } from './kept.ts'
import type { Past } from './protocol.ts'
import { TaskProcess, type RunOutcome } from './task-process.ts'
import { PoolBusy, TaskFailure, type Host, type Task, type TaskFailureCode, type TaskLimits } from './task.ts'

export type PoolOptions = {
  /** Processes at once; each may take a processor. */
  readonly processesMax?: number | undefined
  /** Longest wait for a turn. */
  readonly waitMsMax?: number
  /** A process that has had nothing to do for this long ends. */
  readonly idleMs?: number
  /** A task that waits for an answer gives its process to others after this long, or as long as it has computed. */
  readonly parkAfterMs?: number
}

/** Two that one workspace may take, and one that it leaves to the others (docs/decisions/0235). */
const processesByDefault = 3

/** Shorter than most calls of other services take, and longer than most calls of our own. */
const parkAfterMsByDefault = 50

const busy = (message: string) => new PoolBusy(message)

/** Tasks that may wait, of one workspace a quarter: each holds its input in memory. */
const waitingMax = 200

type Carried = {
  /** The name of the task: tasks of a workspace that have several names take turns. */
  readonly kind: string
  readonly module: URL
  readonly input: Buffer
  readonly limits: TaskLimits
  readonly conversation: Conversation | undefined
  readonly signal: AbortSignal | undefined
}

const noPast: Past = { answers: [], calls: 0, lines: 0 }

/**
 * Runs tasks on untrusted input in processes without rights, which are started on demand and ended when there is
 * nothing to do. Workspaces take turns (docs/decisions/0260).
 */
export class Pool {
  readonly #options: Required<Omit<PoolOptions, 'waitMsMax' | 'processesMax'>> & { readonly processesMax: number }
  readonly #turns: FairTurns
  /** All processes; those that are idle with the timer that ends them. */
  readonly #processes = new Map<TaskProcess, NodeJS.Timeout | undefined>()
  readonly #failures = new Map<TaskFailureCode, number>()
  readonly #kept = new KeptAnswers()
  #isClosed = false
  #running = 0
  #parked = 0

  constructor({
    processesMax = processesByDefault,
    waitMsMax = 30_000,
    idleMs = 60_000,
    parkAfterMs = parkAfterMsByDefault,
  }: PoolOptions = {}) {
    this.#options = { processesMax, idleMs, parkAfterMs }
    this.#turns = new FairTurns({
      atOnceMax: processesMax,
      waitingMax,
      waitMsMax,
      mayJoin: () => true,
      refusals: { crowded: busy, late: busy },
    })
  }

  /** Processes that there are, at work or not. */
  get processes(): number {
    return this.#processes.size
  }

  /** Tasks that wait for a process. */
  get waiting(): number {
    return this.#turns.waiting
  }

  /** Tasks that have a process. */
  get running(): number {
    return this.#running
  }

  /** Tasks that wait for an answer, without a process. */
  get parked(): number {
    return this.#parked
  }

  /** Tasks that failed because of their input, by code. */
  get failures(): ReadonlyMap<TaskFailureCode, number> {
    return this.#failures
  }

  /**
   * Runs a task for a workspace when its turn comes. Rejects with a `TaskFailure` if the input asks for too much, with
   * `PoolBusy` if no turn comes, with the signal's reason, or with what the host rejects with.
   */
  async run<Input, Output, Call, Answer>(
    workspaceId: string,
    task: Task<Input, Output, Call, Answer>,
    input: Input,
    signal?: AbortSignal,
    host?: Host<Call, Answer>,
  ): Promise<Output> {
    const { name: kind, module, limits } = task
    const place = { workspaceId, kept: this.#kept, callsMax: limits.callsMax ?? 0 }
    const conversation = host && new Conversation(host as Host<unknown, unknown>, place)
    try {
      const bytes = serialize(input)
      if (bytes.length > limits.inputBytes)
        throw new TaskFailure('task_input_too_large', `It is too large: ${bytes.length} bytes.`)
      const output = await this.#runOften(workspaceId, { kind, module, input: bytes, limits, conversation, signal })
      return deserialize(output) as Output
    } catch (error) {
      if (error instanceof TaskFailure) this.#failures.set(error.code, (this.#failures.get(error.code) ?? 0) + 1)
      throw error
    } finally {
      conversation?.end()
    }
  }

  /** Ends all processes, whatever they are doing, and starts no more. */
  close(): void {
    this.#isClosed = true
    for (const process of this.#processes.keys()) process.end(new PoolBusy('The server is stopping.'))
  }

  /**
   * Runs a task, and again each time that it has been parked and has an answer. Waiting for a turn takes none of its
   * time.
   */
  async #runOften(workspaceId: string, carried: Carried): Promise<Buffer> {
    const { kind, limits, signal } = carried
    let leftMs = limits.wallMs
    for (let isResumption = false; ; isResumption = true) {
      let startedMs = 0
      const work = (): Promise<RunOutcome> => {
        startedMs = performance.now()
        return this.#carryOut({ ...carried, limits: { ...limits, wallMs: leftMs } })
      }
      const running = handled(this.#turns.run(workspaceId, work, { signal, isResumption, kind }))
      this.#makeRoom()
      const outcome = await running
      if ('output' in outcome) return outcome.output
      await this.#untilAnswered(carried, outcome.parkedAt, leftMs - (performance.now() - startedMs))
      leftMs -= performance.now() - startedMs
    }
  }

  async #carryOut({ module, input, limits, conversation, signal }: Carried): Promise<RunOutcome> {
    if (this.#isClosed) throw new PoolBusy('The server is stopping.')
    const taken = this.#take(limits.heapMiB)
    this.#running++
    try {
      const request = { module: module.href, input, limits, past: conversation?.past ?? noPast }
      return await taken.run(request, conversation, signal)
    } finally {
      this.#running--
      if (taken.isFree) this.#rest(taken)
    }
  }

  async #untilAnswered({ conversation, signal }: Carried, answers: number, leftMs: number): Promise<void> {
    this.#parked++
    try {
      await conversation?.hasMore(answers, leftMs, signal)
    } finally {
      this.#parked--
    }
  }

  /** Has tasks that only wait give their places to those that wait for one. */
  #makeRoom(): void {
    let wanted = this.#turns.waiting
    for (const process of this.#processes.keys()) {
      if (wanted === 0) return
      if (!process.isParkable) continue
      process.park()
      wanted--
    }
  }

  /** Takes an idle process with that heap, or starts one, in place of an idle one with another heap if need be. */
  #take(heapMiB: number): TaskProcess {
    const idle = [...this.#processes].flatMap(([one, timer]) => (timer === undefined ? [] : [one]))
    const fitting = idle.find((one) => one.heapMiB === heapMiB)
    if (fitting !== undefined) {
      clearTimeout(this.#processes.get(fitting))
      this.#processes.set(fitting, undefined)
      return fitting
    }
    if (this.#processes.size >= this.#options.processesMax) idle[0]?.end(undefined)
    const started: TaskProcess = new TaskProcess({
      heapMiB,
      parkAfterMs: this.#options.parkAfterMs,
      onParkable: () => this.#makeRoom(),
      onEnd: () => {
        clearTimeout(this.#processes.get(started))
        this.#processes.delete(started)
      },
    })
    this.#processes.set(started, undefined)
    return started
  }

  #rest(process: TaskProcess): void {
    const timer = setTimeout(() => process.end(undefined), this.#options.idleMs)
    timer.unref()
    this.#processes.set(process, timer)
  }
}
