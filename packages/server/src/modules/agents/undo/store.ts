import type { RowOf } from '../../../db/columns.ts'
import { rowsOf } from '../../../db/rows.ts'
import type { Tx } from '../../../db/tx.ts'
import { progressColumns, type RevertProgress } from '../../reverting/index.ts'

/** The progress of undoing a run. */
export type UndoRow = Pick<RowOf<'agent_undo'>, 'run_id'> & RevertProgress

const columns = ['run_id', ...progressColumns] as const satisfies readonly (keyof UndoRow)[]

export const findUndo = rowsOf<UndoRow>('agent_undo', columns).find('workspace_id', 'run_id')

/** Stores that a run is to be undone; false if it is already. */
export const insertUndo = async (tx: Tx, workspaceId: string, row: UndoRow): Promise<boolean> =>
  (await tx.insertNew('agent_undo', [{ workspace_id: workspaceId, ...row }], ['run_id'])).length === 1

export const updateUndo = (
  tx: Tx,
  workspaceId: string,
  runId: string,
  changes: Partial<Omit<UndoRow, 'run_id'>>,
): Promise<void> =>
  tx.updateByKey('agent_undo', ['workspace_id', 'run_id'], [{ workspace_id: workspaceId, run_id: runId, ...changes }])

/** Removes what is known of the undoing of some runs. */
export const removeUndos = (tx: Tx, workspaceId: string, runIds: readonly string[]): Promise<void> =>
  tx.deleteByKey(
    'agent_undo',
    runIds.map((run_id) => ({ workspace_id: workspaceId, run_id })),
  )
