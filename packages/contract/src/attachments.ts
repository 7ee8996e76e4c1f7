import { z } from 'zod'
import { domain } from './endpoint.ts'
import { exampleIds } from './example-ids.ts'
import { offsetPageQuery, pageLinks, pageMeta, sortColumn } from './paging.ts'
import { record } from './record.ts'
import { id, silentQuery, timestamp, visibleText } from './shared.ts'

/** Columns that attachments are sorted by. */
export const attachmentSortColumns = ['_created_at', 'name'] as const

const nameCharactersMax = 255

/** Refused in file names: control characters would split headers and lines of logs. */
const control = /[\p{Cc}\p{Zl}\p{Zp}]/u

export const fileName = visibleText(nameCharactersMax)
  .refine((name) => !control.test(name), 'must not contain control characters')
  .meta({ description: 'Name of the file, as people see it.', example: 'offer.pdf' })

export const attachment = z
  .object({
    _id: id,
    name: z.string(),
    _created_at: timestamp,
    _created_by: id.nullable(),
    source: z.enum(['user', 'email']).meta({ description: 'The origin: an upload or an e-mail.' }),
    mime_type: z.string().nullable().meta({ description: 'The content type, detected from the content.' }),
    size_bytes: z.int().nullable(),
    messageRef: z.string().optional().meta({ description: 'The e-mail that it came with.' }),
    sender: z
      .object({ personId: id.nullable(), name: z.string().nullable() })
      .optional()
      .meta({ description: 'The sender of that e-mail.' }),
  })
  .meta({ id: 'Attachment', description: 'A plain object without `data`, like a comment.' })

export type Attachment = z.infer<typeof attachment>

const key = z
  .string()
  .min(1)
  .max(2000)
  .meta({ description: 'As in the response of the upload request.', example: `attachments/acme/person/…/offer.pdf` })

/** S3 takes no more in one request. */
const putBytesMax = 5 * 2 ** 30

const sizeBytes = z
  .int()
  .min(0)
  .max(putBytesMax)
  .meta({
    description:
      'Bytes of the file. The URL then accepts exactly this many; without it, a file that is too large is refused ' +
      'when the attachment is created.',
  })

const all = '/workspaces/{workspace}/objects/{object}/records/{id}/attachments'
const one = `${all}/{attachmentId}` as const

const changing = { caller: 'any', scope: 'files:write', recordScope: 'records:write' } as const
const reading = { caller: 'any', scope: 'files:read', recordScope: 'records:read' } as const

/** decisions §17: files that hang on records. */
export const attachments = domain({
  list: {
    ...reading,
    method: 'GET',
    replica: true,
    path: all,
    summary: 'List the attachments of a record',
    description:
      'Lists the attachments of a record, the oldest first unless sorted: all of them unless a page is requested.',
    query: z.strictObject({
      page: offsetPageQuery().page.unwrap().optional(),
      sortOrder: sortColumn.optional().meta({ description: `By ${attachmentSortColumns.join(', ')}.` }),
    }),
    response: z.object({
      data: z.array(attachment),
      meta: pageMeta.partial({ offset: true, limit: true }),
      links: pageLinks,
    }),
    errors: ['unknown_field'],
  },
  upload: {
    ...changing,
    method: 'PUT',
    path: all,
    summary: 'Request an upload',
    description:
      'Returns a URL. Send the bytes to it by PUT, with their `Content-Type` and without credentials. ' +
      'Another PUT replaces them, until you create the attachment by POST. Uploads without an attachment ' +
      'are deleted after a day.',
    secret: true,
    query: z.strictObject(silentQuery),
    body: z.strictObject({ name: fileName, size_bytes: sizeBytes.optional() }),
    response: z.object({
      data: z.object({
        signedUrl: z.string().meta({ description: 'Valid for an hour.' }),
        key,
        attachmentId: id,
        entity: z.string().meta({ description: 'Object of the record.', example: 'person' }),
        _id: id.meta({ description: 'The record.' }),
      }),
    }),
    errors: ['payload_too_large'],
    examples: { body: { name: 'offer.pdf', size_bytes: 48_213 } },
  },
  create: {
    ...changing,
    method: 'POST',
    path: all,
    status: 201,
    summary: 'Create an attachment',
    description:
      'Attaches an uploaded file. From then on its bytes cannot change. The response is the record. ' +
      'Sending it again changes nothing.',
    emits: ['attachment.created'],
    query: z.strictObject(silentQuery),
    body: z.strictObject({ name: fileName, key, attachmentId: id }),
    response: z.object({ data: record }),
    errors: ['payload_too_large'],
    examples: {
      body: {
        name: 'offer.pdf',
        key: `attachments/acme/person/${exampleIds.upload}/offer.pdf`,
        attachmentId: exampleIds.upload,
      },
    },
  },
  get: {
    ...reading,
    method: 'GET',
    path: one,
    summary: 'Get an attachment',
    description:
      'Returns a download URL, which needs no credentials and is valid for an hour, also if the access of the ' +
      'caller ends meanwhile. HTML, SVG and other types that a browser could run are downloaded, not shown.',
    secret: true,
    response: z.object({ data: z.object({ url: z.string() }) }),
  },
  remove: {
    ...changing,
    method: 'DELETE',
    path: one,
    summary: 'Delete an attachment',
    description: 'Deletes the file permanently. The response is the record.',
    emits: ['attachment.deleted'],
    query: z.strictObject(silentQuery),
    response: z.object({ data: record }),
  },
})
