/** What one run of a task may take. */
export type TaskLimits = {
  /** Time of the processor. */
  readonly cpuMs: number
  /** Time that passes, from when the process is ready. */
  readonly wallMs: number
  /** Memory of the JavaScript heap. The process as a whole may take `otherMiB` more. */
  readonly heapMiB: number
  /** Bytes of the serialized input. */
  readonly inputBytes: number
  /** Bytes of the serialized output. */
  readonly outputBytes: number
}

/**
 * Work on untrusted input. `module` exports `run(input)`, which gets a copy of the input and returns the output, or a
 * promise of it; both must be structured-cloneable. An error that it throws counts as a bug of the server: a fault of
 * the input is part of the output.
 */
export type Task<Input, Output> = {
  readonly name: string
  readonly module: URL
  readonly limits: TaskLimits
  /** Carries the types; never set. */
  readonly types?: (input: Input) => Output
}

/** Declares a task, next to the module that carries it out. */
export const defineTask = <Input, Output>(task: Omit<Task<Input, Output>, 'types'>): Task<Input, Output> => task

export type TaskFailureCode =
  | 'task_input_too_large'
  | 'task_output_too_large'
  | 'task_time_exceeded'
  | 'task_out_of_memory'
  | 'task_crashed'

/** The input asked for too much. It would do so again: nothing tries it again. */
export class TaskFailure extends Error {
  override readonly name = 'TaskFailure'
  readonly code: TaskFailureCode

  constructor(code: TaskFailureCode, message: string) {
    super(message)
    this.code = code
  }
}

/** No process was free, or none could be started. Nothing was begun, and later there may be one. */
export class PoolBusy extends Error {
  override readonly name = 'PoolBusy'
}
