/** A letter that a run of a sequence would send. */
type Paced = {
  readonly workspaceId: string
  readonly workflowId: string
  readonly runId: string
  /** The step that would send it: each attempt at it has the same. */
  readonly stepKey: string
  readonly personId: string | null
  readonly recipients: readonly string[]
  readonly now: number
}

/** Answers until when a letter has to wait; null where it may go out now. It is asked again when that time has come. */
export type Pacing = (letter: Paced) => Promise<number | null>
