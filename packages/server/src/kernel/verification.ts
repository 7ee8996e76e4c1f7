import type { ReadTx, Tx } from '../db/tx.ts'

/** A stored row that differs from what it is derived from, or that refers to nothing. */
export type Discrepancy = {
  readonly detail: string
  /** Rebuilds what is derived; missing where nothing stored shows what it should be. */
  readonly repair?: (tx: Tx) => Promise<void>
}

type VerificationRequest = {
  readonly workspaceId: string
  /** The `next` of the portion before; undefined at the beginning. */
  readonly after: string | undefined
  readonly now: number
}

type VerifiedPortion = {
  readonly checked: number
  readonly discrepancies: readonly Discrepancy[]
  /** Where the next portion begins; missing at the end. */
  readonly next?: string | undefined
}

/**
 * A check of the stored data of a workspace while servers write it: one portion at a time, each on one state of the
 * database (docs/decisions/0047).
 */
export type Verification = {
  readonly name: string
  /** Its repair counts everything anew: what was restored is counted by it. */
  readonly isOfCounters?: true
  readonly verify: (tx: ReadTx, request: VerificationRequest) => Promise<VerifiedPortion>
}
