import type { Tx } from '../db/tx.ts'

/** The timestamp of a change. */
export type ChangeTime = {
  /** Milliseconds since 1970; one instant for all that the transaction writes. */
  readonly now: number
  /**
   * Awaited before the commit. Rejects if a watermark has passed the instant in the meantime; the work must then run
   * again.
   */
  readonly confirmed: Promise<void>
}

/** Assigns timestamps to changes so that a client that polls by time misses none (docs/decisions/0003). */
export interface ChangeTimes {
  /** The timestamp of a change that begins: `now`, or later if a reader already holds a watermark at or after `now`. */
  begin(tx: Tx, workspaceId: string, now: number): Promise<ChangeTime>
  /**
   * The watermark of an object: all changes of its records up to there can be read, and no later change gets so early a
   * timestamp.
   */
  watermark(workspaceId: string, object: string): Promise<number>
}
