import { defineTask, TaskFailure, type Host, type Pool, type Task } from '../../pool/index.ts'
import { outputBytesMax } from '../plugins/index.ts'
import type { ProgramEnded, ProgramEnding, HostAnswer, HostCall, Limits, Program } from './protocol.ts'

/** Operations of the server that a program may call. */
export type CodeHost = Host<HostCall, HostAnswer>

const limitsByDefault: Limits = {
  memoryBytes: 64 << 20,
  stackBytes: 256 << 10,
  computeMs: 10_000,
  processMs: 12_000,
  wallMs: 60_000,
  outputBytes: outputBytesMax,
  callsMax: 1000,
  callsAtOnce: 10,
  callCharacters: 1 << 20,
  logLinesMax: 200,
  logLineMax: 2000,
}

/** All that earlier blocks have left; a program reads what it asks for. */
const inputBytesMax = 128 << 20

/**
 * Memory of the heap, beside that of the program, which WebAssembly counts apart: what crosses the border, and lodash
 * as a text.
 */
const heapMiB = 128

type ProgramTerms = {
  readonly signal: AbortSignal
  /** Time that it may take, if less than any program may; none of it passes while it waits for a process. */
  readonly wallMsMax?: number | undefined
}

/** Runs programs of users in the pool. */
export class CodeRunner {
  readonly limits: Limits
  readonly #pool: Pool
  readonly #task: Task<{ readonly program: Program; readonly limits: Limits }, ProgramEnded, HostCall, HostAnswer>

  constructor(pool: Pool, limits: Partial<Limits> = {}) {
    this.#pool = pool
    this.limits = { ...limitsByDefault, ...limits }
    const { processMs, wallMs, callsMax, outputBytes } = this.limits
    this.#task = defineTask({
      name: 'program',
      module: new URL('program.task.ts', import.meta.url),
      limits: {
        cpuMs: processMs,
        wallMs,
        heapMiB,
        inputBytes: inputBytesMax,
        // Characters may take two bytes.
        outputBytes: 2 * outputBytes + 65_536,
        callsMax,
      },
    })
  }

  /** Runs a program; rejects with the signal's reason, with what `host` rejects with, or with `PoolBusy`. */
  run(workspaceId: string, program: Program, host: CodeHost, given: ProgramTerms): Promise<ProgramEnded> {
    const { limits } = this
    const wallMs = Math.min(limits.wallMs, given.wallMsMax ?? Infinity)
    const task = { ...this.#task, limits: { ...this.#task.limits, wallMs } }
    return this.#pool.run(workspaceId, task, { program, limits }, given.signal, host).catch((error: unknown) => {
      if (error instanceof TaskFailure) return this.#endedBy(error)
      throw error
    })
  }

  #endedBy({ code, message }: TaskFailure): ProgramEnded {
    const { computeMs, wallMs, outputBytes } = this.limits
    const [ending, why] = {
      task_time_exceeded: [
        'code_time_exceeded',
        `The code computed for more than ${computeMs / 1000} s, or took more than ${wallMs / 1000} s.`,
      ],
      task_out_of_memory: ['code_out_of_memory', 'The code uses too much memory.'],
      task_output_too_large: ['output_too_large', `The output is larger than ${outputBytes} bytes of JSON.`],
      task_input_too_large: [
        'code_failed',
        `The outputs of the blocks before it are too large for the code: ${message}`,
      ],
      task_crashed: ['code_failed', message],
    }[code] as [ProgramEnding, string]
    return { code: ending, message: why }
  }
}
