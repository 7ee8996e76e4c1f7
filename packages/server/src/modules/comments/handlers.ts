import { isDeepStrictEqual } from 'node:util'
import { comments, type CommentResource } from '@kontor/contract'
import { actorId } from '../../kernel/actor.ts'
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts'
import { implement, type WriteContext } from '../../kernel/implement.ts'
import { atLeast } from '../access/index.ts'
import type { Block } from '../fields/index.ts'
import { mentionsIn, parseMessage, saysSame } from './message.ts'
import { mayDelete, mayEdit } from './rules.ts'
import { deleteComment, findComment, insertComment, updateComment, type CommentRow } from './store.ts'
import { lockComment, lockSubject, requireComment, takesComments } from './subject.ts'

export const commentHandlers = implement(comments, {
  async create(ctx, { body: { _id: wanted, entity, owner_id, message: given } }) {
    if (!(await takesComments(ctx, entity)))
      throw ctx.fail('invalid_body', {
        detail: 'Records of this object take no comments.',
        source: { pointer: '/entity' },
      })
    const message = parseMessage(ctx, given)
    // Spec §7: 403, even if there is no such record, so that the answer does not reveal hidden records.
    if (!atLeast(await lockSubject(ctx, entity, owner_id), 'comment'))
      throw ctx.fail('forbidden', { detail: 'There is no such record that you may comment on.' })
    const { workspaceId } = ctx.workspace
    const row: CommentRow = {
      id: wanted?.toLowerCase() ?? ctx.newId(),
      record_id: owner_id,
      object: entity,
      message,
      created_at: ctx.now,
      created_by: actorId(ctx.actor),
      updated_at: null,
      updated_by: null,
    }
    const isNew = await insertComment(ctx.tx, { workspaceId, row, mentions: mentionsIn(message) })
    if (!isNew) return { status: 200, body: present(await requireSame(ctx, row, given)) }
    await tell(ctx, 'comment.created', row, null, message)
    return { body: present(row) }
  },

  get: async (ctx, { id }) => ({ body: present(await requireComment(ctx, id)) }),

  async update(ctx, { id, body }) {
    const { comment, level } = await lockComment(ctx, id)
    if (!mayEdit(ctx.actor, comment)) throw ctx.fail('forbidden', { detail: 'Only the author may edit a comment.' })
    if (!atLeast(level, 'comment'))
      throw ctx.fail('forbidden', { detail: 'You may see this record, but not comment on it.' })
    const message = parseMessage(ctx, body.message)
    if (isDeepStrictEqual(message, comment.message)) return { body: present(comment) }
    const row = {
      ...comment,
      message,
      updated_at: Math.max(ctx.now, comment.updated_at ?? comment.created_at),
      updated_by: actorId(ctx.actor),
    }
    const mentions = mentionsIn(message)
    await Promise.all([
      updateComment(ctx.tx, { workspaceId: ctx.workspace.workspaceId, row, mentions }),
      tell(ctx, 'comment.updated', row, comment.message, message),
    ])
    return { body: present(row) }
  },

  async remove(ctx, { id }) {
    const { comment } = await lockComment(ctx, id)
    if (!mayDelete(ctx.actor, ctx.workspace, comment))
      throw ctx.fail('forbidden', { detail: 'Only the author or an admin may delete a comment.' })
    await Promise.all([
      deleteComment(ctx.tx, ctx.workspace.workspaceId, id),
      tell(ctx, 'comment.deleted', comment, comment.message, null),
    ])
    return { body: present(comment) }
  },
})

/**
 * Finds the comment that already has the id: 409 unless it has the same author, record and content. Ids of blocks that
 * the caller left out are generated anew each time, so those of the stored comment are used.
 */
async function requireSame(
  ctx: WriteContext<'unique_violation'>,
  { id, ...wanted }: CommentRow,
  given: readonly unknown[],
): Promise<CommentRow> {
  const there = await findComment(ctx.tx, ctx.workspace.workspaceId, id)
  const isOwn =
    there !== undefined &&
    there.created_by === wanted.created_by &&
    there.record_id === wanted.record_id &&
    there.object === wanted.object
  if (isOwn && saysSame(there.message, wanted.message, given)) return there
  throw ctx.fail('unique_violation', {
    detail: 'There is a comment with this id already.',
    source: { pointer: '/_id' },
    meta: { field: '_id', ...(isOwn && { existing_id: id }) },
  })
}

/** Publishes a comment as an event of its record; the path of the difference names the comment. */
function tell(
  ctx: WriteContext,
  type: string,
  { id, record_id, object }: CommentRow,
  oldVal: Block[] | null,
  val: Block[] | null,
): Promise<void> {
  const op = oldVal === null ? 'add' : val === null ? 'delete' : 'update'
  return ctx.emit([
    {
      type,
      object,
      recordId: record_id,
      payload: { comment_id: id, diff: [{ op, path: ['comments', id, 'message'], val, oldVal }] },
    },
  ])
}

const present = ({
  id,
  message,
  record_id,
  object,
  created_at,
  created_by,
  updated_at,
  updated_by,
}: CommentRow): CommentResource => ({
  _id: id,
  message,
  owner_id: record_id,
  entity: object,
  _created_at: isoTime(created_at),
  _created_by: created_by,
  _updated_at: isoTimeOrNull(updated_at),
  _updated_by: updated_by,
})
