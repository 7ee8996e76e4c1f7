import type { RowOf } from '../../db/columns.ts'
import { columnsOf, rowsOf, readColumn } from '../../db/rows.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import { workspacesOf } from '../../db/workspaces.ts'
import { urlMs } from './storage.ts'

export type FileRow = RowOf<'file'>

const columns = columnsOf('file')

const files = rowsOf<FileRow>('file', columns)

export const findFile = files.find('workspace_id', 'id')

/** A file, locked until the transaction ends. */
export const lockFile = files.lock('change', 'workspace_id', 'id')

export const insertFile = files.insert

export const updateFile = files.update('workspace_id', 'id')

/** Leaves files to upkeep, as soon as the URLs of their uploads bring no more bytes, which no row would remember. */
export const discardFiles = async (tx: Tx, workspaceId: string, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  await tx.change((sql) =>
    sql
      .knex('file')
      .update({ discard_at: sql`created_at + ${urlMs}` })
      .where('workspace_id', workspaceId)
      .where(sql.dialect.oneOf('id', ids)),
  )
}

/** Keeps a file until then, and no longer. */
export const keepUntil = (
  tx: Tx,
  { workspace_id, id }: Pick<FileRow, 'workspace_id' | 'id'>,
  discardAt: number,
): Promise<void> => updateFile(tx, { workspace_id, id, discard_at: discardAt })

/** Workspaces with files to discard. */
export const listDiscarding = (tx: ReadTx, now: number): Promise<string[]> =>
  workspacesOf(tx, ({ knex }) => knex('file').where('discard_at', '<=', now))

/** The ids of some files to discard. */
export const listDiscarded = (tx: ReadTx, workspaceId: string, now: number, rowsMax: number): Promise<string[]> =>
  readColumn(tx, ({ knex }) =>
    knex('file').select('id').where('workspace_id', workspaceId).where('discard_at', '<=', now).limit(rowsMax),
  )

export const deleteFiles = (tx: Tx, workspaceId: string, ids: readonly string[]): Promise<void> =>
  tx.deleteByKey(
    'file',
    ids.map((id) => ({ workspace_id: workspaceId, id })),
  )
