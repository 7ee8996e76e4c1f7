import { isDeepStrictEqual } from 'node:util'
import { comments, type CommentResource } from '@kontor/contract'
import type { ReadTx } from '../../db/tx.ts'
import { actorId, doerOf, presentDoer, type Actor, type Membership } from '../../kernel/actor.ts'
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts'
import { isId } from '../../kernel/ids.ts'
import { implement, type WorkspaceReadContext, type WriteContext } from '../../kernel/implement.ts'
import { atLeast } from '../access/index.ts'
import { attachmentsOfRecord } from '../attachments/index.ts'
import type { RichTextBlock } from '../fields/index.ts'
import { resolveReference } from '../records/index.ts'
import { mentionsIn, parseMessage, saysSame } from './message.ts'
import { deleteComment, findComment, insertComment, updateComment, type CommentRow } from './store.ts'
import { lockComment, lockSubject, requireComment, takesComments } from './subject.ts'

/** Finds whom an agent or a workflow acts for; undefined of what is neither. */
type FindHolder = (tx: ReadTx, workspaceId: string, id: string) => Promise<string | undefined>

export const commentHandlers = (findHolder: FindHolder) =>
  implement(comments, {
    async create(ctx, { body: { _id: wanted, entity, owner_id: owner, message: given, attachment_ids = [] } }) {
      if (!(await takesComments(ctx, entity)))
        throw ctx.fail('invalid_body', {
          detail: 'The object does not exist, or its records cannot have comments.',
          source: { pointer: '/entity' },
        })
      const message = parseMessage(ctx, given)
      const owner_id = await resolveReference(ctx, owner, entity, ['owner_id'])
      // Spec §7: 403, even if there is no such record, so that the answer does not reveal hidden records.
      if (!atLeast(await lockSubject(ctx, entity, owner_id), 'comment'))
        throw ctx.fail('forbidden', { detail: 'There is no record with this id that you may comment on.' })
      await requireAttachments(ctx, owner_id, attachment_ids)
      const { workspaceId } = ctx.workspace
      const doer = doerOf(ctx.actor)
      const row: CommentRow = {
        id: wanted?.toLowerCase() ?? ctx.newId(),
        record_id: owner_id,
        object: entity,
        message,
        attachment_ids,
        author: doer.on_behalf_of === undefined ? null : presentDoer(doer),
        created_at: ctx.now,
        created_by: doer.id,
        updated_at: null,
        updated_by: null,
      }
      const isNew = await insertComment(ctx.tx, { workspaceId, row, mentions: mentionsIn(message) })
      if (!isNew) return { status: 200, body: await present(ctx, await requireSame(ctx, row, given)) }
      await tell(ctx, 'comment.created', row, null, message)
      return { body: await present(ctx, row) }
    },

    get: async (ctx, { id }) => ({ body: await present(ctx, await requireComment(ctx, id)) }),

    async update(ctx, { id, body }) {
      const { comment, level } = await lockComment(ctx, id)
      if (!mayEdit(ctx.actor, comment)) throw ctx.fail('forbidden', { detail: 'Only the author may edit a comment.' })
      if (!atLeast(level, 'comment'))
        throw ctx.fail('forbidden', { detail: 'You may see this record, but not comment on it.' })
      const message = parseMessage(ctx, body.message)
      if (saysSame(comment.message, message, body.message)) return { body: await present(ctx, comment) }
      const row = {
        ...comment,
        message,
        updated_at: Math.max(ctx.now, comment.updated_at ?? comment.created_at),
        updated_by: doerOf(ctx.actor).id,
      }
      const mentions = mentionsIn(message)
      await Promise.all([
        updateComment(ctx.tx, { workspaceId: ctx.workspace.workspaceId, row, mentions }),
        tell(ctx, 'comment.updated', row, comment.message, message),
      ])
      return { body: await present(ctx, row) }
    },

    async remove(ctx, { id }) {
      const { comment } = await lockComment(ctx, id)
      await requireDeletable(ctx, comment, findHolder)
      await Promise.all([
        deleteComment(ctx.tx, ctx.workspace.workspaceId, id),
        tell(ctx, 'comment.deleted', comment, comment.message, null),
      ])
      return { body: await present(ctx, comment) }
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
  if (
    isOwn &&
    saysSame(there.message, wanted.message, given) &&
    isDeepStrictEqual(there.attachment_ids, wanted.attachment_ids)
  )
    return there
  throw ctx.fail('unique_violation', {
    detail: 'A comment with this id already exists.',
    source: { pointer: '/_id' },
    meta: { field: '_id', ...(isOwn && { existing_id: id }) },
  })
}

async function requireDeletable(ctx: WriteContext, comment: CommentRow, findHolder: FindHolder): Promise<void> {
  if (mayDelete(ctx.actor, ctx.workspace, comment)) return
  const owner = await findHolder(ctx.tx, ctx.workspace.workspaceId, comment.created_by)
  if (owner === actorId(ctx.actor)) return
  throw ctx.fail('forbidden', {
    detail: 'Only the author, an admin, or the owner of the agent or workflow that wrote it may delete a comment.',
  })
}

/** Publishes a comment as an event of its record; the path of the difference names the comment. */
function tell(
  ctx: WriteContext,
  type: 'comment.created' | 'comment.updated' | 'comment.deleted',
  { id, record_id, object }: CommentRow,
  oldVal: RichTextBlock[] | null,
  val: RichTextBlock[] | null,
): Promise<void> {
  const before = new Set(usersMentioned(oldVal ?? []))
  const op = oldVal === null ? 'add' : val === null ? 'delete' : 'update'
  return ctx.emit([
    {
      type,
      object,
      recordId: record_id,
      payload: { comment_id: id, diff: [{ op, path: ['comments', id, 'message'], val, oldVal }] },
      named: usersMentioned(val ?? []).filter((user) => !before.has(user)),
    },
  ])
}

const usersMentioned = (message: readonly RichTextBlock[]): string[] =>
  mentionsIn(message).flatMap(({ entity, id }) => (entity === 'user' ? [id] : []))

/** Refuses what is not attached to the record that is commented on. */
async function requireAttachments(ctx: WriteContext, recordId: string, ids: readonly string[]): Promise<void> {
  const of = { workspace_id: ctx.workspace.workspaceId, record_id: recordId }
  const found = await attachmentsOfRecord(ctx.tx, of, ids.filter(isId))
  if (found.length < ids.length)
    throw ctx.fail('invalid_body', {
      detail: 'There is no attachment with this id on the record. Attach the file to the record first.',
      source: { pointer: `/attachment_ids/${ids.findIndex((id) => !found.includes(id))}` },
    })
}

/** Presents a comment. Its attachments are read only if there are any; deleted ones are omitted. */
async function present(ctx: WorkspaceReadContext, row: CommentRow): Promise<CommentResource> {
  const of = { workspace_id: ctx.workspace.workspaceId, record_id: row.record_id }
  const attachment_ids = await attachmentsOfRecord(ctx.tx, of, row.attachment_ids)
  return { ...presentRow(row), ...(attachment_ids.length > 0 && { attachment_ids }) }
}

const presentRow = ({
  id,
  message,
  record_id,
  object,
  created_at,
  created_by,
  updated_at,
  updated_by,
  author,
}: CommentRow): CommentResource => ({
  _id: id,
  message,
  owner_id: record_id,
  entity: object,
  _created_at: isoTime(created_at),
  _created_by: created_by,
  _updated_at: isoTimeOrNull(updated_at),
  _updated_by: updated_by,
  ...(author !== null && { author }),
})

type Written = { readonly created_by: string }

/** Spec §4: only the author, whatever the role of others. */
const mayEdit = (actor: Actor, comment: Written): boolean => comment.created_by === doerOf(actor).id

/** Spec §4: the author or an admin; beside them the owner of the agent or workflow that wrote it. */
const mayDelete = (actor: Actor, { role }: Membership, comment: Written): boolean =>
  role === 'admin' || mayEdit(actor, comment)
