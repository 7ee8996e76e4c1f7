import type { Change } from '@kontor/contract'
import type { Tx } from '../../db/tx.ts'
import type { WriteContext } from '../../kernel/implement.ts'

/** What another module hangs on records; `app.ts` hands all of them over. The records are locked, or deleted for good. */
export type Dependent = {
  /** Moves what belongs to records to another, which they are merged into; what that changes in it, as far as the caller may know. */
  readonly move?: (ctx: WriteContext, fromIds: readonly string[], toId: string) => Promise<Change[]>
  /** Puts what belongs to records out of sight when they are deleted, until they are restored or purged. */
  readonly hide?: (tx: Tx, workspaceId: string, recordIds: readonly string[], newId: () => string) => Promise<void>
  /** Brings it back. */
  readonly show?: (tx: Tx, workspaceId: string, recordIds: readonly string[], newId: () => string) => Promise<void>
  /** Removes for good what belongs to records, at most so many rows; the number removed. */
  readonly purge: (tx: Tx, workspaceId: string, recordIds: readonly string[], rowsMax: number) => Promise<number>
}
