import type { RowOf } from '../../../db/columns.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import { progressColumns, type RevertProgress } from '../../reverting/index.ts'

/** The progress of reverting an import. */
export type RevertRow = Pick<RowOf<'import_revert'>, 'import_id'> & RevertProgress

const columns = ['import_id', ...progressColumns] as const satisfies readonly (keyof RevertRow)[]

export const findRevert = async (tx: ReadTx, workspaceId: string, importId: string): Promise<RevertRow | undefined> =>
  (
    await tx.query<RevertRow>(({ knex }) =>
      knex('import_revert')
        .select(...columns)
        .where({ workspace_id: workspaceId, import_id: importId }),
    )
  )[0]

/** Stores that an import is to be reverted; false if it is already. */
export const insertRevert = async (tx: Tx, workspaceId: string, row: RevertRow): Promise<boolean> =>
  (await tx.insertNew('import_revert', [{ workspace_id: workspaceId, ...row }], ['import_id'])).length === 1

export const updateRevert = (
  tx: Tx,
  workspaceId: string,
  importId: string,
  changes: Partial<Omit<RevertRow, 'import_id'>>,
): Promise<void> =>
  tx.updateByKey(
    'import_revert',
    ['workspace_id', 'import_id'],
    [{ workspace_id: workspaceId, import_id: importId, ...changes }],
  )

export const deleteReverts = (tx: Tx, workspaceId: string, importIds: readonly string[]): Promise<void> =>
  tx.deleteByKey(
    'import_revert',
    importIds.map((import_id) => ({ workspace_id: workspaceId, import_id })),
  )
