import type { ImportBody, ImportState } from '@kontor/contract'
import type { RowOf } from '../../db/columns.ts'
import { columnsOf } from '../../db/rows.ts'
import type { ReadTx } from '../../db/tx.ts'
import { openRows, type OpenPage } from '../../engine/verification/store.ts'
import type { Owner } from '../identity/acting/index.ts'
import type { FileShape } from './reading/shape.ts'
import { workRows } from '../async-tasks/index.ts'

/** The options of an import, besides its object and file. */
export type ImportOptions = Omit<ImportBody, 'object' | 'upload_id' | 'format' | 'delimiter' | 'encoding'>

/** The shape of the file that is read; of a workbook that is its sheet, unpacked, with the upload. */
type StoredShape = FileShape & { readonly upload?: { readonly id: string; readonly bytes: number } }

/** An import, and how far it is. */
export type ImportRow = Omit<RowOf<'record_import'>, 'workspace_id'> & {
  readonly shape: StoredShape
  readonly options: ImportOptions
  readonly created_linked: Readonly<Record<string, number>>
  readonly actor: Owner
  readonly state: ImportState
}

/** The rows of imports. */
export const importRows = workRows<ImportRow>('record_import', columnsOf('record_import', 'workspace_id'))

/** Imports that have not ended, in the order of their ids. */
export const listOpenImports = (
  tx: ReadTx,
  workspaceId: string,
  page: OpenPage,
): Promise<Pick<ImportRow, 'id' | 'rows_total' | 'shape'>[]> =>
  tx.query(({ knex }) =>
    openRows(knex('record_import').select('id', 'rows_total', 'shape').whereNull('ended_at'), workspaceId, page),
  )
