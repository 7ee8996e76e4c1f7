import type { Tx } from '../db/tx.ts'

/** When a change happens. */
export type ChangeTime = {
  /** Milliseconds since 1970; one instant for all that the transaction writes. */
  readonly now: number
  /** To be awaited before the commit; rejects where the instant has passed meanwhile, and the work is to be run again. */
  readonly confirmed: Promise<void>
}

/** Gives changes their times so that nobody who polls by time passes one by (docs/decisions/0051). */
export interface ChangeTimes {
  /** The time of a change that begins: `now`, or later where somebody has been told that nothing so early will come. */
  begin(tx: Tx, workspaceId: string, now: number): Promise<ChangeTime>
  /** The instant up to which all changes of an object's records are there to be read; from then on none comes that early. */
  horizon(workspaceId: string, object: string): Promise<number>
}
