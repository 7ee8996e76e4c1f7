import type { AddressChoice } from './suppressions/choose.ts'
import type { Tx } from '../../db/tx.ts'

/** A letter to the person of a run that does not say at which address. */
type Addressed = {
  readonly workspaceId: string
  readonly runId: string
  readonly personId: string
  /** The addresses that the record has now. */
  readonly addresses: readonly string[]
}

/** Answers at which address a run writes to its person (0175). */
export type Addressing = (letter: Addressed) => Promise<AddressChoice | { readonly refusal: 'duplicate_address' }>

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
