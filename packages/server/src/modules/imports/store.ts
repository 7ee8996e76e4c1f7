import { columnsOf } from '../../db/rows.ts'
import type { Knex } from 'knex'
import type { ImportBody, ImportState } from '@kontor/contract'
import type { RowOf } from '../../db/columns.ts'
import { shortList, type ListReader } from '../../db/short-list.ts'
import type { Sql } from '../../db/sql.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import { workspacesOf } from '../../db/workspaces.ts'
import type { Owner } from '../identity/acting/index.ts'
import type { FileShape } from './reading/shape.ts'

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

const columns = columnsOf('record_import', 'workspace_id')

export const insertImport = (tx: Tx, workspaceId: string, row: ImportRow): Promise<void> =>
  tx.insert('record_import', [{ workspace_id: workspaceId, ...row }])

const importsIn = ({ knex }: Sql, workspaceId: string): Knex.QueryBuilder =>
  knex('record_import')
    .select(...columns)
    .where('workspace_id', workspaceId)

export const findImport = async (tx: ReadTx, workspaceId: string, id: string): Promise<ImportRow | undefined> =>
  (await tx.query<ImportRow>((sql) => importsIn(sql, workspaceId).where('id', id)))[0]

/** Finds an import and locks it until the transaction ends. */
export const lockImport = async (tx: Tx, workspaceId: string, id: string): Promise<ImportRow | undefined> =>
  (await tx.query<ImportRow>((sql) => sql.dialect.locked(importsIn(sql, workspaceId).where('id', id), 'change')))[0]

export type ImportChanges = Partial<Omit<ImportRow, 'id'>>

export const updateImport = (tx: Tx, workspaceId: string, id: string, changes: ImportChanges): Promise<void> =>
  tx.updateByKey('record_import', ['workspace_id', 'id'], [{ workspace_id: workspaceId, id, ...changes }])

/** The imports that a caller may see, narrowed by state. */
export type ImportFilter = {
  readonly workspaceId: string
  readonly createdBy: string | undefined
  readonly state: ImportState | undefined
  /** The objects that the credential covers; undefined: all. */
  readonly objects: readonly string[] | undefined
}

const narrowed = (query: Knex.QueryBuilder, { createdBy, state, objects }: ImportFilter): Knex.QueryBuilder => {
  if (createdBy !== undefined) query.where('created_by', createdBy)
  if (objects !== undefined) query.whereIn('object', objects)
  return state === undefined ? query : query.where('state', state)
}

/** The list of the imports that a caller may see. */
export const importsAmong = (filter: ImportFilter): ListReader<ImportRow> =>
  shortList({
    from: ({ knex }) => narrowed(knex('record_import').where('workspace_id', filter.workspaceId), filter),
    columns,
    id: 'id',
  })

/** Workspaces with imports that ended before an instant. */
export const listExpiring = (tx: ReadTx, before: number): Promise<string[]> =>
  workspacesOf(tx, ({ knex }) => knex('record_import').where('ended_at', '<', before))

/** The ids of some imports that ended before an instant. */
export const listExpired = async (tx: ReadTx, workspaceId: string, before: number, max: number): Promise<string[]> =>
  (
    await tx.query<{ id: string }>(({ knex }) =>
      knex('record_import').select('id').where('workspace_id', workspaceId).where('ended_at', '<', before).limit(max),
    )
  ).map(({ id }) => id)

export const deleteImports = (tx: Tx, workspaceId: string, ids: readonly string[]): Promise<void> =>
  tx.deleteByKey(
    'record_import',
    ids.map((id) => ({ workspace_id: workspaceId, id })),
  )
