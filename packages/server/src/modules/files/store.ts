import type { RowOf } from '../../db/columns.ts'
import { param, statement } from '../../db/statement.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import { workspacesOf } from '../../db/workspaces.ts'
import { urlMs } from './storage.ts'

export type FileRow = RowOf<'file'>

const columns = [
  'workspace_id',
  'id',
  'subject_id',
  'name',
  'upload_key',
  'size_bytes',
  'mime_type',
  'created_at',
  'discard_at',
] as const

type One = { readonly workspace_id: string; readonly id: string }

const one = { workspace_id: param('workspace_id'), id: param('id') }

const byId = statement<One, FileRow>(({ knex }) =>
  knex('file')
    .select(...columns)
    .where(one),
)

export const findFile = (tx: ReadTx, workspaceId: string, id: string): Promise<FileRow | undefined> =>
  tx.first(byId, { workspace_id: workspaceId, id })

const forChange = statement<One, FileRow>(({ knex, dialect }) =>
  dialect.locked(
    knex('file')
      .select(...columns)
      .where(one),
    'change',
  ),
)

/** A file, locked until the transaction ends. */
export const lockFile = (tx: Tx, workspaceId: string, id: string): Promise<FileRow | undefined> =>
  tx.first(forChange, { workspace_id: workspaceId, id })

export const insertFile = (tx: Tx, row: FileRow): Promise<void> => tx.insert('file', [row])

export const updateFile = (tx: Tx, row: One & Partial<FileRow>): Promise<void> =>
  tx.updateByKey('file', ['workspace_id', 'id'], [row])

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
export const keepUntil = (tx: Tx, { workspace_id, id }: One, discardAt: number): Promise<void> =>
  updateFile(tx, { workspace_id, id, discard_at: discardAt })

/** Workspaces with files to discard. */
export const listDiscarding = (tx: ReadTx, now: number): Promise<string[]> =>
  workspacesOf(tx, ({ knex }) => knex('file').where('discard_at', '<=', now))

/** The ids of some files to discard. */
export const listDiscarded = async (tx: ReadTx, workspaceId: string, now: number, rowsMax: number): Promise<string[]> =>
  (
    await tx.query<{ id: string }>(({ knex }) =>
      knex('file').select('id').where('workspace_id', workspaceId).where('discard_at', '<=', now).limit(rowsMax),
    )
  ).map(({ id }) => id)

export const deleteFiles = (tx: Tx, workspaceId: string, ids: readonly string[]): Promise<void> =>
  tx.deleteByKey(
    'file',
    ids.map((id) => ({ workspace_id: workspaceId, id })),
  )
