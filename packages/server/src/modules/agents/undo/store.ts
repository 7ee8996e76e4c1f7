import type { RowOf } from '../../../db/columns.ts'
import { rowsIn } from '../../../db/rows.ts'
import { progressColumns, type RevertProgress } from '../../reverting/index.ts'

/** The progress of undoing a run. */
export type UndoRow = Pick<RowOf<'agent_undo'>, 'run_id'> & RevertProgress

const columns = ['run_id', ...progressColumns] as const satisfies readonly (keyof UndoRow)[]

const undos = rowsIn<UndoRow, 'run_id'>('agent_undo', columns, 'run_id')

export const findUndo = undos.find

/** Stores that a run is to be undone; false if it is already. */
export const insertUndo = undos.insertNew

export const updateUndo = undos.update

/** Removes what is known of the undoing of some runs. */
export const removeUndos = undos.remove
