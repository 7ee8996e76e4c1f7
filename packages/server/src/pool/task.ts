/** Limits of one run of a task. */
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
  /** Calls that it may make of the server while it runs; none by default. */
  readonly callsMax?: number
}

/** Operations of the server that a task may call while it runs. */
export type Host<Call, Answer> = {
  /** Carries out a call; rejects only with what ends the task. */
  readonly call: (call: Call) => Promise<Answer>
  readonly line: (line: string) => void
}

/**
 * Work on untrusted input. `module` exports `run(input, talk)`, which gets a copy of the input and returns the output,
 * or a promise of it; both must be structured-cloneable. An error that it throws counts as a bug of the server: a fault
 * of the input is part of the output. `talk` is for tasks that ask the server for something.
 */
export type Task<Input, Output, Call = never, Answer = never> = {
  readonly name: string
  readonly module: URL
  readonly limits: TaskLimits
  /** Carries the types; never set. */
  readonly types?: (input: Input, host: Host<Call, Answer>) => Output
}

/** Declares a task, next to the module that carries it out. */
export const defineTask = <Input, Output, Call = never, Answer = never>(
  task: Omit<Task<Input, Output, Call, Answer>, 'types'>,
): Task<Input, Output, Call, Answer> => task

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
