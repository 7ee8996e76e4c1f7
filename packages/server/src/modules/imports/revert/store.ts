import type { RowOf } from '../../../db/columns.ts'
import { progressColumns, type RevertProgress } from '../../reverting/index.ts'
import { rowsIn } from '../../../db/rows.ts'

/** The progress of reverting an import. */
export type RevertRow = Pick<RowOf<'import_revert'>, 'import_id'> & RevertProgress

const columns = ['import_id', ...progressColumns] as const satisfies readonly (keyof RevertRow)[]

const reverts = rowsIn<RevertRow, 'import_id'>('import_revert', columns, 'import_id')

export const findRevert = reverts.find

/** Stores that an import is to be reverted; false if it is already. */
export const insertRevert = reverts.insertNew

export const updateRevert = reverts.update

export const deleteReverts = reverts.remove
