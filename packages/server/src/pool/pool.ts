import { deserialize, serialize } from 'node:v8'
import { FairTurns } from '../lib/fair-turns.ts'
import { TaskProcess } from './task-process.ts'
import { PoolBusy, TaskFailure, type Task, type TaskFailureCode } from './task.ts'

export type PoolOptions = {
  /** Processes at once; each may take a processor. */
  readonly processesMax?: number | undefined
  /** Longest wait for a turn. */
  readonly waitMsMax?: number
  /** A process that has had nothing to do for this long ends. */
  readonly idleMs?: number
}

/** Two that one workspace may take, and one that it leaves to the others (docs/decisions/0235). */
const processesByDefault = 3

const busy = (message: string) => new PoolBusy(message)

/** Tasks that may wait, of one workspace a quarter: each holds its input in memory. */
const waitingMax = 200

/**
 * Runs tasks on untrusted input in processes without rights, which are started on demand and ended when there is
 * nothing to do. Workspaces take turns (docs/decisions/0260).
 */
export class Pool {
  readonly #options: { readonly processesMax: number; readonly idleMs: number }
  readonly #turns: FairTurns
  /** All processes; those that are idle with the timer that ends them. */
  readonly #processes = new Map<TaskProcess, NodeJS.Timeout | undefined>()
  readonly #failures = new Map<TaskFailureCode, number>()
  #isClosed = false
  #running = 0

  constructor({ processesMax = processesByDefault, waitMsMax = 30_000, idleMs = 60_000 }: PoolOptions = {}) {
    this.#options = { processesMax, idleMs }
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

  get waiting(): number {
    return this.#turns.waiting
  }

  get running(): number {
    return this.#running
  }

  /** Tasks that failed because of their input, by code. */
  get failures(): ReadonlyMap<TaskFailureCode, number> {
    return this.#failures
  }

  /**
   * Runs a task for a workspace when its turn comes. Rejects with a `TaskFailure` if the input asks for too much, with
   * `PoolBusy` if no turn comes, or with the signal's reason.
   */
  async run<Input, Output>(
    workspaceId: string,
    task: Task<Input, Output>,
    input: Input,
    signal?: AbortSignal,
  ): Promise<Output> {
    try {
      const bytes = serialize(input)
      if (bytes.length > task.limits.inputBytes)
        throw new TaskFailure('task_input_too_large', `It has ${bytes.length} bytes, which is too much.`)
      const output = await this.#turns.run(workspaceId, () => this.#carryOut(task, bytes, signal), signal)
      return deserialize(output) as Output
    } catch (error) {
      if (error instanceof TaskFailure) this.#failures.set(error.code, (this.#failures.get(error.code) ?? 0) + 1)
      throw error
    }
  }

  /** Ends all processes, whatever they are doing, and starts no more. */
  close(): void {
    this.#isClosed = true
    for (const process of this.#processes.keys()) process.end(new PoolBusy('The server stops.'))
  }

  async #carryOut<Input, Output>(
    { module, limits }: Task<Input, Output>,
    input: Buffer,
    signal: AbortSignal | undefined,
  ): Promise<Buffer> {
    if (this.#isClosed) throw new PoolBusy('The server stops.')
    const taken = this.#take(limits.heapMiB)
    this.#running++
    try {
      return await taken.run({ module: module.href, input, limits }, signal)
    } finally {
      this.#running--
      if (taken.isFree) this.#rest(taken)
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
    const started: TaskProcess = new TaskProcess(heapMiB, () => {
      clearTimeout(this.#processes.get(started))
      this.#processes.delete(started)
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
