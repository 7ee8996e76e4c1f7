import type { RowOf } from '../../../db/columns.ts'
import { deleteSome } from '../../../db/delete-some.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import type { Cell } from '../reading/cell.ts'

/** A row that was not imported, and why. */
export type RejectRow = Pick<RowOf<'import_reject'>, 'line' | 'reason'> & { readonly cells: readonly Cell[] }

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

/** Rows that are read at once. */
const batchMax = 1000

/** Reads the rejected rows of an import, some at a time, in the order of the file. */
export async function* eachReject(tx: ReadTx, from: Import): AsyncGenerator<RejectRow[], void, undefined> {
  let after = 0
  for (;;) {
    const rows = await listRejectsAfter(tx, from, after)
    if (rows.length > 0) yield rows
    if (rows.length < batchMax) return
    after = rows.at(-1)?.line ?? 0
  }
}

const listRejectsAfter = (tx: ReadTx, { workspaceId, importId }: Import, line: number): Promise<RejectRow[]> =>
  tx.query(({ knex }) =>
    knex('import_reject')
      .select('line', 'cells', 'reason')
      .where({ workspace_id: workspaceId, import_id: importId })
      .where('line', '>', line)
      .orderBy('line')
      .limit(batchMax),
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
