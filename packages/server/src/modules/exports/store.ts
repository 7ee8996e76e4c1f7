import type { ExportBody, ExportState } from '@kontor/contract'
import type { RowOf } from '../../db/columns.ts'
import type { ReadTx } from '../../db/tx.ts'
import { openRows, type OpenPage } from '../../engine/verification/store.ts'
import type { Owner } from '../identity/acting/index.ts'
import { workRows } from '../async-tasks/index.ts'
import { columnsOf, readColumn } from '../../db/rows.ts'

/** An export, and how far it is. */
export type ExportRow = Omit<RowOf<'data_export'>, 'workspace_id'> & {
  readonly kind: ExportBody['kind']
  readonly options: ExportBody
  readonly actor: Owner
  readonly state: ExportState
}

/** The rows of exports. */
export const exportRows = workRows<ExportRow>('data_export', columnsOf('data_export', 'workspace_id'))

/** The ids of exports that have not ended, the oldest first. */
export const listOpen = (tx: ReadTx, workspaceId: string, max: number): Promise<string[]> =>
  readColumn(tx, ({ knex }) =>
    knex('data_export').select('id').where('workspace_id', workspaceId).whereNull('ended_at').orderBy('id').limit(max),
  )

/** Exports that have not ended, in the order of their ids. */
export const listOpenExports = (tx: ReadTx, workspaceId: string, page: OpenPage): Promise<Pick<ExportRow, 'id'>[]> =>
  tx.query(({ knex }) => openRows(knex('data_export').select('id').whereNull('ended_at'), workspaceId, page))
