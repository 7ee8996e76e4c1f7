import { attachments, type Attachment, type Change } from '@kontor/contract'
import { actorId } from '../../kernel/actor.ts'
import { isoTime } from '../../kernel/clock.ts'
import { implement, inTwoParts, type WorkspaceReadContext, type WriteContext } from '../../kernel/implement.ts'
import { isId } from '../../kernel/ids.ts'
import { requestedOrder } from '../../kernel/requested-order.ts'
import { queryOf, urlOf } from '../../kernel/short-page.ts'
import { defined } from '../../lib/guards.ts'
import { offsetEnvelope } from '../../lib/page-links.ts'
import {
  arrivalFailure,
  beginUpload,
  finishUpload,
  takeOver,
  tooLarge,
  type Arrival,
  type FileStorage,
} from '../files/index.ts'
import { presentOne } from '../query/index.ts'
import { findTarget, lockTargets, requireVisible } from '../records/index.ts'
import {
  countAttachments,
  deleteAttachments,
  findAttachment,
  insertAttachment,
  listAttachments,
  type AttachmentRow,
} from './store.ts'

type Of = { readonly object: string; readonly id: string }
type FileReference = { readonly name: string; readonly key: string; readonly attachmentId: string }

/** A record that files are attached to, locked until the transaction ends. */
async function lockRecord(ctx: WriteContext, { object: name, id }: Of) {
  const target = await findTarget(ctx, name)
  const row = defined((await lockTargets(ctx, target, [id]))[0])
  return { object: target.object, row, of: { workspace_id: ctx.workspace.workspaceId, record_id: row.id } }
}

const missing = (ctx: WorkspaceReadContext) =>
  ctx.fail('not_found', { detail: 'The record has no attachment with this id.' })

export const attachmentHandlers = (storage: FileStorage) =>
  implement(attachments, {
    async list(ctx, input) {
      const { object, id, page, sortOrder } = input
      const { row } = await requireVisible(ctx, object, id)
      const of = { workspace_id: ctx.workspace.workspaceId, record_id: row.id }
      const columns = { _created_at: 'a.id', name: 'f.name' } as const
      const order = requestedOrder(ctx, sortOrder, columns, { column: 'a.id', descending: false })
      const [rows, total] = await Promise.all([listAttachments(ctx.tx, of, order, page), countAttachments(ctx.tx, of)])
      const whole = { offset: 0, limit: Math.max(1, total) }
      const { meta, links } = offsetEnvelope(
        urlOf(ctx, attachments.list, input),
        page ?? whole,
        total,
        queryOf(attachments.list, input),
      )
      const { total_records, total_pages } = meta
      const shown = page === undefined ? { total_records, total_pages } : meta
      return { body: { data: rows.map(present), meta: shown, links } }
    },

    upload: inTwoParts(async (read: WorkspaceReadContext<'payload_too_large'>, { workspace, object, id, body }) => {
      const { name, size_bytes: bytes } = body
      if (bytes !== undefined && bytes > storage.bytesMax) throw tooLarge(read, storage.bytesMax)
      const attachmentId = read.newId()
      const signedUrl = await storage.uploadUrl({ workspaceId: read.workspace.workspaceId, id: attachmentId }, bytes)
      const key = `attachments/${workspace}/${object}/${attachmentId}/${name}`
      return async (ctx) => {
        const { row } = await lockRecord(ctx, { object, id })
        await beginUpload(ctx, { id: attachmentId, subject_id: row.id, name, upload_key: key })
        return { body: { data: { signedUrl, key, attachmentId, entity: object, _id: row.id } } }
      }
    }),

    create: inTwoParts(async (read: WorkspaceReadContext<'payload_too_large'>, { object, id, body }) => {
      const arrival = await takeOver(read, storage, { id: body.attachmentId, subjectId: id, name: body.name })
      return async (ctx) => {
        const record = await lockRecord(ctx, { object, id })
        const failure = arrivalFailure(ctx, arrival, storage.bytesMax, '/attachmentId')
        if (failure !== undefined) throw failure
        await create(ctx, record, body, arrival)
        return { body: { data: await presentOne(ctx, record.object, record.row) } }
      }
    }),

    async get(ctx, { object, id, attachmentId }) {
      const { row } = await requireVisible(ctx, object, id)
      const { workspaceId } = ctx.workspace
      const of = { workspace_id: workspaceId, record_id: row.id, id: attachmentId }
      const found = isId(attachmentId) ? await findAttachment(ctx.tx, of) : undefined
      if (found === undefined) throw missing(ctx)
      const shown = { name: found.name, mimeType: found.mime_type }
      return { body: { data: { url: await storage.downloadUrl({ workspaceId, id: attachmentId }, shown) } } }
    },

    async remove(ctx, { object: name, id, attachmentId }) {
      const { object, row, of } = await lockRecord(ctx, { object: name, id })
      const one = { ...of, id: attachmentId }
      const found = isId(attachmentId) ? await findAttachment(ctx.tx, one) : undefined
      if (found === undefined) throw missing(ctx)
      await deleteAttachments(ctx.tx, of.workspace_id, [found.id])
      await tell(ctx, 'attachment.deleted', object.name, found)
      return { body: { data: await presentOne(ctx, object, row) } }
    },
  })

type Locked = Awaited<ReturnType<typeof lockRecord>>

async function create(
  ctx: WriteContext,
  { object, of }: Locked,
  { name, key, attachmentId }: FileReference,
  arrival: Arrival,
): Promise<void> {
  const file = await finishUpload(ctx, { id: attachmentId, name, key }, arrival)
  if (file === undefined)
    throw ctx.fail('invalid_body', {
      detail: 'This record has no upload with this id and key; uploads are deleted after a day.',
      source: { pointer: '/attachmentId' },
    })
  const row = {
    ...of,
    id: file.id,
    source: 'user' as const,
    message_ref: null,
    sent_by: null,
    created_at: ctx.now,
    created_by: actorId(ctx.actor),
  }
  if (await insertAttachment(ctx.tx, row)) await tell(ctx, 'attachment.created', object.name, { ...row, ...file })
}

/** Publishes a change of an attachment as an event of its record. */
function tell(
  ctx: WriteContext,
  type: 'attachment.created' | 'attachment.deleted',
  object: string,
  { id, record_id, name }: Pick<AttachmentRow, 'id' | 'record_id' | 'name'>,
): Promise<void> {
  const path = ['attachments', id, 'name']
  const diff: Change[] =
    type === 'attachment.created'
      ? [{ op: 'add', path, val: name, oldVal: null }]
      : [{ op: 'delete', path, val: null, oldVal: name }]
  return ctx.emit([{ type, object, recordId: record_id, payload: { attachment_id: id, diff } }])
}

const present = ({
  id,
  name,
  created_at,
  created_by,
  source,
  mime_type,
  size_bytes,
  message_ref,
  sent_by,
}: AttachmentRow): Attachment => ({
  _id: id,
  name,
  _created_at: isoTime(created_at),
  _created_by: created_by,
  source,
  mime_type,
  size_bytes,
  ...(message_ref !== null && { messageRef: message_ref }),
  ...(sent_by !== null && { sender: sent_by }),
})
