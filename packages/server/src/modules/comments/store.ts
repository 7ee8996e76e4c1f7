import type { RowOf } from '../../db/columns.ts'
import { param, statement } from '../../db/statement.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import type { Dependent } from '../records/index.ts'
import type { Block } from '../fields/index.ts'
import type { Mention } from './message.ts'

export type CommentRow = Omit<RowOf<'comment'>, 'workspace_id' | 'mentions'> & { readonly message: Block[] }

const byId = statement<{ workspace_id: string; id: string }, CommentRow>(({ knex }) =>
  knex('comment')
    .select('id', 'record_id', 'object', 'message', 'created_at', 'created_by', 'updated_at', 'updated_by')
    .where({ workspace_id: param('workspace_id'), id: param('id') }),
)

export const findComment = (tx: ReadTx, workspaceId: string, id: string): Promise<CommentRow | undefined> =>
  tx.first(byId, { workspace_id: workspaceId, id })

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

export const deleteComment = (tx: Tx, workspaceId: string, id: string): Promise<void> =>
  tx.deleteByKey('comment', [{ workspace_id: workspaceId, id }])

export const commentsOfRecords: Dependent = {
  async move({ tx, workspace: { workspaceId } }, fromIds, toId) {
    const moved = await tx.query<{ id: string }>(({ knex, dialect }) =>
      knex('comment')
        .update({ record_id: toId })
        .where('workspace_id', workspaceId)
        .where(dialect.oneOf('record_id', fromIds))
        .returning('id'),
    )
    return moved.length === 0
      ? []
      : [{ op: 'add', path: ['comments'], val: moved.map(({ id }) => id).toSorted(), oldVal: null }]
  },

  purge: (tx, workspaceId, recordIds, rowsMax) =>
    tx.change(({ knex, dialect }) => {
      const some = knex('comment')
        .select('id')
        .where('workspace_id', workspaceId)
        .where(dialect.oneOf('record_id', recordIds))
        .limit(rowsMax)
      return knex('comment').where('workspace_id', workspaceId).whereIn('id', some).delete()
    }),
}
