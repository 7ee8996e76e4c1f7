import type { LayoutTree } from '@kontor/contract'
import type { RowOf } from '../../db/columns.ts'
import { columnsOf, rowsOf } from '../../db/rows.ts'
import type { Tx } from '../../db/tx.ts'

export type LayoutRow = RowOf<'layout'> & { readonly tree: LayoutTree }

export type LayoutKey = Pick<LayoutRow, 'workspace_id' | 'layout_key'>

const layouts = rowsOf<LayoutRow>('layout', columnsOf('layout'))

export const findLayout = layouts.findByKey('workspace_id', 'layout_key')

export const lockLayout = layouts.lockByKey('change', 'workspace_id', 'layout_key')

/** Inserts a layout; false if another transaction has done so meanwhile. */
export const insertLayout = layouts.insertNew

export const updateLayout = layouts.update('workspace_id', 'layout_key')

/** Deletes a layout; false if there was none. */
export const deleteLayout = async (tx: Tx, key: LayoutKey): Promise<boolean> =>
  (await tx.deleteReturning('layout', [key], ['layout_key'])).length === 1
