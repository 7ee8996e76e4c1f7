/** Input of a program. Values are JSON texts, which cross every border as they are. */
export type Program = {
  /** JavaScript or TypeScript, a module that exports `handler`. */
  readonly code: string
  readonly input: string
  /** The state of the trigger. */
  readonly trigger: string
  /** The outputs of earlier blocks, by their keys. */
  readonly results: Readonly<Record<string, string>>
  /** The time that it sees, which stands still. */
  readonly now: number
  /** Seed of its random numbers. */
  readonly seed: number
}

/** Limits of a program; each is enforced inside the sandbox, by the pool, or by both. */
export type Limits = {
  readonly memoryBytes: number
  readonly stackBytes: number
  /** Time of a processor. */
  readonly computeMs: number
  /** The same for all that its process does: reading it too, and functions of the language that nothing interrupts. */
  readonly processMs: number
  /** Time from the beginning to the end, waiting for answers included, and waiting for a turn not. */
  readonly wallMs: number
  readonly outputBytes: number
  readonly callsMax: number
  /** Calls that the server carries out at once; further ones wait in the process. */
  readonly callsAtOnce: number
  /** Characters of what a call is given. */
  readonly callCharacters: number
  readonly logLinesMax: number
  readonly logLineMax: number
}

/** Why a program ended without an output: it threw, or cannot be read; or it has taken too much. */
export type ProgramEnding = 'code_failed' | 'code_time_exceeded' | 'code_out_of_memory' | 'output_too_large'

/** The end of a program. */
export type ProgramEnded =
  | { readonly output: string }
  | {
      readonly code: ProgramEnding
      readonly message: string
      /** The call whose failure the program did not catch. */
      readonly callId?: number
    }

/** A call of the program, of what it was given to call. */
export type HostCall = { readonly id: number; readonly name: string; readonly args: string }

/** Result of a call: a JSON text either way. */
export type HostAnswer = { readonly id: number; readonly isOk: boolean; readonly text: string }
