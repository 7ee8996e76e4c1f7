import { columnsOf } from '../../db/rows.ts'
import type { Knex } from 'knex'
import type { ExportBody, ExportState } from '@kontor/contract'
import type { RowOf } from '../../db/columns.ts'
import { shortList, type ListReader } from '../../db/short-list.ts'
import type { Sql } from '../../db/sql.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import { workspacesOf } from '../../db/workspaces.ts'
import type { Owner } from '../identity/acting/index.ts'

/** An export, and how far it is. */
export type ExportRow = Omit<RowOf<'data_export'>, 'workspace_id'> & {
  readonly kind: ExportBody['kind']
  readonly options: ExportBody
  readonly actor: Owner
  readonly state: ExportState
}

const columns = columnsOf('data_export', 'workspace_id')

export const insertExport = (tx: Tx, workspaceId: string, row: ExportRow): Promise<void> =>
  tx.insert('data_export', [{ workspace_id: workspaceId, ...row }])

const exportsIn = ({ knex }: Sql, workspaceId: string): Knex.QueryBuilder =>
  knex('data_export')
    .select(...columns)
    .where('workspace_id', workspaceId)

export const findExport = async (tx: ReadTx, workspaceId: string, id: string): Promise<ExportRow | undefined> =>
  (await tx.query<ExportRow>((sql) => exportsIn(sql, workspaceId).where('id', id)))[0]

/** The ids of exports that have not ended, the oldest first. */
export const listOpen = async (tx: ReadTx, workspaceId: string, max: number): Promise<string[]> =>
  (
    await tx.query<{ id: string }>(({ knex }) =>
      knex('data_export')
        .select('id')
        .where('workspace_id', workspaceId)
        .whereNull('ended_at')
        .orderBy('id')
        .limit(max),
    )
  ).map(({ id }) => id)

/** Finds an export and locks it until the transaction ends. */
export const lockExport = async (tx: Tx, workspaceId: string, id: string): Promise<ExportRow | undefined> =>
  (await tx.query<ExportRow>((sql) => sql.dialect.locked(exportsIn(sql, workspaceId).where('id', id), 'change')))[0]

export type ExportChanges = Partial<Omit<ExportRow, 'id'>>

export const updateExport = (tx: Tx, workspaceId: string, id: string, changes: ExportChanges): Promise<void> =>
  tx.updateByKey('data_export', ['workspace_id', 'id'], [{ workspace_id: workspaceId, id, ...changes }])

/** The exports that a caller may see, narrowed by state. */
type ExportFilter = {
  readonly workspaceId: string
  readonly createdBy: string | undefined
  readonly state: ExportState | undefined
}

const narrowed = (query: Knex.QueryBuilder, { createdBy, state }: ExportFilter): Knex.QueryBuilder => {
  if (createdBy !== undefined) query.where('created_by', createdBy)
  return state === undefined ? query : query.where('state', state)
}

/** The list of the exports that a caller may see. */
export const exportsAmong = (filter: ExportFilter): ListReader<ExportRow> =>
  shortList({
    from: ({ knex }) => narrowed(knex('data_export').where('workspace_id', filter.workspaceId), filter),
    columns,
    id: 'id',
  })

/** Workspaces with exports that ended before an instant. */
export const listExpiring = (tx: ReadTx, before: number): Promise<string[]> =>
  workspacesOf(tx, ({ knex }) => knex('data_export').where('ended_at', '<', before))

/** The ids of some exports that ended before an instant. */
export const listExpired = async (tx: ReadTx, workspaceId: string, before: number, max: number): Promise<string[]> =>
  (
    await tx.query<{ id: string }>(({ knex }) =>
      knex('data_export').select('id').where('workspace_id', workspaceId).where('ended_at', '<', before).limit(max),
    )
  ).map(({ id }) => id)

export const deleteExports = (tx: Tx, workspaceId: string, ids: readonly string[]): Promise<void> =>
  tx.deleteByKey(
    'data_export',
    ids.map((id) => ({ workspace_id: workspaceId, id })),
  )
