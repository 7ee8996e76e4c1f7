import type { Tx } from '../../db/tx.ts'

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

/** Says when letters of sequences may go out. */
export type Pacing = {
  /** Until when a letter has to wait; null where it may go out now. It is asked again when that time has come. */
  readonly waitsUntil: (letter: Paced) => Promise<number | null>
  /**
   * Returns whether a letter whose time has come may go out: until the transaction ends, nobody pauses its sequence.
   */
  readonly mayGoOut: (tx: Tx, letter: Pick<Paced, 'workspaceId' | 'workflowId'>) => Promise<boolean>
}
