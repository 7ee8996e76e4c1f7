import type { TaskLimits } from './task.ts'

/**
 * A run of a task. What crosses the border as bytes is serialized by `node:v8`: its size is known before anything reads
 * it.
 */
export type TaskRequest = {
  /** Address of the module. */
  readonly module: string
  readonly input: Buffer
  readonly limits: TaskLimits
  readonly past: Past
}

/** Events of earlier runs of a conversation, which this run repeats. */
export type Past = {
  /** In the order in which the task got them. */
  readonly answers: readonly Buffer[]
  /** Calls that the server knows already, and lines. */
  readonly calls: number
  readonly lines: number
}

/** From the server to the process. `park` ends a run that waits for answers; it is begun again later. */
export type ToProcess = { readonly run: TaskRequest } | { readonly answer: Buffer } | { readonly park: true }

/** From the process to the server. */
export type FromProcess =
  | { readonly ready: true }
  | { readonly call: unknown }
  | { readonly line: string }
  /** It cannot go on without a further answer. */
  | { readonly waits: { readonly answers: number; readonly cpuMs: number } }
  | { readonly parked: true }
  | { readonly output: Buffer }
  | { readonly outputBytes: number }
  /** `isTooDeep` if the stack of the process has ended, which a parser does not survive. */
  | { readonly error: string; readonly isTooDeep: boolean }

/** The numbers that the main thread of a process shares with the thread that watches it. */
export const slots = { cpuMsMax: 0, cpuMsBefore: 1, memoryMiBMax: 2 } as const

/** Ends a process whose task has taken its time of the processor. */
export const timeSignal = 'SIGVTALRM'

/** Ends a process whose task has taken its memory outside of the heap; V8 itself aborts for what is inside. */
export const memorySignal = 'SIGUSR2'

/** Memory of a process outside of its heap: code, stacks, buffers, WebAssembly. */
export const otherMiB = 384
