import type { Change } from '@kontor/contract'
import type { Tx } from '../../db/tx.ts'
import type { WriteContext } from '../../kernel/implement.ts'

/**
 * Dependents: what another module attaches to records; `app.ts` passes all of them on. The records are locked, or
 * deleted for good.
 */
export type Dependent = {
  /**
   * Moves the dependents of merged records to the target. Returns the changes to the target, as far as the caller may
   * know them.
   */
  readonly move?: (ctx: WriteContext, fromIds: readonly string[], toId: string) => Promise<Change[]>
  /** Hides the dependents of deleted records until the records are restored or purged. */
  readonly hide?: (tx: Tx, workspaceId: string, recordIds: readonly string[], newId: () => string) => Promise<void>
  /** Shows the dependents again. */
  readonly show?: (tx: Tx, workspaceId: string, recordIds: readonly string[], newId: () => string) => Promise<void>
  /** Finds, among records, those to which people have attached something that is not lost without being asked for. */
  readonly keep?: (tx: Tx, workspaceId: string, recordIds: readonly string[]) => Promise<readonly string[]>
  /** Deletes dependents for good, at most `rowsMax` rows; returns their number. */
  readonly purge: (tx: Tx, workspaceId: string, recordIds: readonly string[], rowsMax: number) => Promise<number>
}
