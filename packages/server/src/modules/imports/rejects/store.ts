import type { RowOf } from '../../../db/columns.ts'
import { deleteSome } from '../../../db/delete-some.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'

/** A row that was not imported, and why. */
export type RejectRow = Pick<RowOf<'import_reject'>, 'line' | 'reason'> & { readonly cells: readonly string[] }

type Import = { readonly workspaceId: string; readonly importId: string }

export const insertRejects = (
  tx: Tx,
  { workspaceId, importId }: Import,
  rejects: readonly RejectRow[],
): Promise<void> =>
  tx.insert(
    'import_reject',
    rejects.map((reject) => ({ workspace_id: workspaceId, import_id: importId, ...reject })),
  )

/** Some rejected rows after a line, in the order of the file. */
export const listRejectsAfter = (
  tx: ReadTx,
  { workspaceId, importId }: Import,
  line: number,
  max: number,
): Promise<RejectRow[]> =>
  tx.query(({ knex }) =>
    knex('import_reject')
      .select('line', 'cells', 'reason')
      .where({ workspace_id: workspaceId, import_id: importId })
      .where('line', '>', line)
      .orderBy('line')
      .limit(max),
  )

/** Deletes some rejected rows of imports; returns how many. */
export const deleteRejects = (
  tx: Tx,
  workspaceId: string,
  importIds: readonly string[],
  rowsMax: number,
): Promise<number> =>
  importIds.length === 0
    ? Promise.resolve(0)
    : deleteSome(tx, workspaceId, {
        table: 'import_reject',
        key: ['import_id', 'line'],
        column: 'import_id',
        values: importIds,
        rowsMax,
      })
