import type { LayoutTree } from '@kontor/contract'
import type { Knex } from 'knex'
import type { RowOf } from '../../db/columns.ts'
import { param, statement } from '../../db/statement.ts'
import type { Sql } from '../../db/sql.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'

export type LayoutRow = RowOf<'layout'> & { readonly tree: LayoutTree }

export type LayoutKey = Pick<LayoutRow, 'workspace_id' | 'layout_key'>

const one = ({ knex }: Sql): Knex.QueryBuilder =>
  knex('layout')
    .select('workspace_id', 'layout_key', 'tree', 'created_at', 'created_by', 'updated_at', 'updated_by')
    .where({ workspace_id: param('workspace_id'), layout_key: param('layout_key') })

const found = statement<LayoutKey, LayoutRow>(one)
const locked = statement<LayoutKey, LayoutRow>((sql) => sql.dialect.locked(one(sql), 'change'))

export const findLayout = (tx: ReadTx, key: LayoutKey): Promise<LayoutRow | undefined> => tx.first(found, key)
export const lockLayout = (tx: Tx, key: LayoutKey): Promise<LayoutRow | undefined> => tx.first(locked, key)

/** Inserts a layout; false if another transaction has done so meanwhile. */
export const insertLayout = async (tx: Tx, row: LayoutRow): Promise<boolean> =>
  (await tx.insertNew('layout', [row], ['layout_key'])).length === 1

export const updateLayout = (tx: Tx, { created_at: _at, created_by: _by, ...row }: LayoutRow): Promise<void> =>
  tx.updateByKey('layout', ['workspace_id', 'layout_key'], [row])

/** Deletes a layout; false if there was none. */
export const deleteLayout = async (tx: Tx, key: LayoutKey): Promise<boolean> =>
  (await tx.deleteReturning('layout', [key], ['layout_key'])).length === 1
