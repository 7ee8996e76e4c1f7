import type { TaskLimits } from './task.ts'

/** A run of a task, from the server to the process. */
export type TaskRequest = {
  /** Address of the module. */
  readonly module: string
  /** Serialized by `node:v8`, as the output is: its size is known before anything reads it. */
  readonly input: Buffer
  readonly limits: TaskLimits
}

/** From the process to the server. */
export type TaskResponse =
  | { readonly ready: true }
  | { readonly output: Buffer }
  | { readonly outputBytes: number }
  | { readonly error: string }

/** The numbers that the main thread of a process shares with the thread that watches it. */
export const slots = { cpuMsMax: 0, cpuMsBefore: 1, memoryMiBMax: 2 } as const

/** Ends a process whose task has taken its time of the processor. */
export const timeSignal = 'SIGVTALRM'

/** Ends a process whose task has taken its memory outside of the heap; V8 itself aborts for what is inside. */
export const memorySignal = 'SIGUSR2'

/** Memory of a process outside of its heap: code, stacks, buffers, WebAssembly. */
export const otherMiB = 384
