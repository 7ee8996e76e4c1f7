import type { NamedDoer } from '../../kernel/actor.ts'
import type { RowOf } from '../../db/columns.ts'
import { columnsOf, rowsOf } from '../../db/rows.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import { attachedRows } from '../records/index.ts'
import type { RichTextBlock } from '../fields/index.ts'
import type { Mention } from './message.ts'

export type CommentRow = Omit<RowOf<'comment'>, 'workspace_id' | 'mentions'> & {
  readonly message: RichTextBlock[]
  readonly attachment_ids: readonly string[]
  /** A workflow or an agent, by which the comment was written; null of a person or a key. */
  readonly author: NamedDoer | null
}

const columns = columnsOf('comment', 'workspace_id', 'mentions')

const comments = rowsOf<CommentRow>('comment', columns)

export const findComment = comments.find('workspace_id', 'id')

export const deleteComment = comments.remove('workspace_id', 'id')

type Said = { readonly workspaceId: string; readonly row: CommentRow; readonly mentions: readonly Mention[] }

/** Inserts a comment; false if a comment with this id exists, even one that is being written at this moment. */
export const insertComment = async (tx: Tx, { workspaceId, row, mentions }: Said): Promise<boolean> =>
  (await tx.insertNew('comment', [{ workspace_id: workspaceId, ...row, mentions }], ['id'])).length === 1

export const updateComment = (
  tx: Tx,
  { workspaceId, row: { id, message, updated_at, updated_by }, mentions }: Said,
): Promise<void> =>
  tx.updateByKey(
    'comment',
    ['workspace_id', 'id'],
    [{ workspace_id: workspaceId, id, message, mentions, updated_at, updated_by }],
  )

export const commentsOfRecords = attachedRows({ table: 'comment', column: 'record_id', path: 'comments', isKept: true })

/** The authors of comments on records: persons and keys. */
export async function listAuthors(
  tx: ReadTx,
  workspaceId: string,
  recordIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (recordIds.length === 0) return new Map()
  const rows = await tx.query<Pick<CommentRow, 'record_id' | 'created_by'>>(({ knex, dialect }) =>
    knex('comment')
      .distinct('record_id', 'created_by')
      .where('workspace_id', workspaceId)
      .where(dialect.oneOf('record_id', recordIds)),
  )
  const authors = Map.groupBy(rows, ({ record_id }) => record_id)
  return new Map([...authors].map(([id, some]) => [id, some.map(({ created_by }) => created_by)]))
}
