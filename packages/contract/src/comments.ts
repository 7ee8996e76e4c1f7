import { z } from 'zod'
import { exampleIds } from './example-ids.ts'
import { domain } from './endpoint.ts'
import { recordReference } from './record-reference.ts'
import { eventActor, id, silentQuery, timestamp } from './shared.ts'

const run = z
  .looseObject({
    type: z.string().meta({ description: '`text`, `link` or `mention`; other types are stored unchanged.' }),
  })
  .meta({ id: 'RichTextRun' })

const blockType = z
  .string()
  .meta({ description: 'For example `paragraph`, `heading` or `quote`; other types are stored unchanged.' })

const block = z
  .looseObject({
    id: z.string(),
    type: blockType,
    get children() {
      return z.array(block)
    },
    content: z.array(run),
  })
  .meta({ id: 'RichTextBlock' })

const blockInput = z
  .looseObject({
    id: z.string().optional(),
    type: blockType,
    get children() {
      return z.array(blockInput).optional()
    },
    content: z.array(run).optional(),
  })
  .meta({
    id: 'RichTextBlockInput',
    description: 'A block of rich text; a missing `id`, `children` or `content` is filled in.',
  })

const message = z.array(blockInput).min(1).meta({ description: 'Must contain text: an empty message is rejected.' })

const comment = z
  .object({
    _id: id,
    message: z.array(block),
    owner_id: id.meta({ description: 'The record that the comment is attached to.' }),
    entity: z.string().meta({ description: 'Object of that record.', example: 'person' }),
    _created_at: timestamp,
    _created_by: id.meta({ description: 'The author: a user, a workspace key, an agent or a workflow.' }),
    author: eventActor.optional().meta({
      description:
        'The agent or workflow that wrote the comment, and the user it acted for. Absent for other comments.',
    }),
    _updated_at: timestamp.nullable(),
    _updated_by: id.nullable(),
    attachment_ids: z
      .array(id)
      .optional()
      .meta({ description: 'Attachments of the record that belong to the comment, if any.' }),
  })
  .meta({ id: 'RecordComment', description: 'A plain object, without `data` around it.' })

export type CommentResource = z.infer<typeof comment>

/** A UUID of any version. */
const uuidShape = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/

const exampleMessage = [
  { type: 'paragraph', content: [{ type: 'text', text: 'Called back; expects the offer by Friday.' }] },
]

const one = '/workspaces/{workspace}/comments/{id}'

/** Spec §4: comments answer with the bare row. */
export const comments = domain({
  create: {
    method: 'POST',
    path: '/workspaces/{workspace}/comments',
    caller: 'any',
    scope: 'comments:write',
    recordScope: 'records:read',
    status: 201,
    alternativeStatus: {
      status: 200,
      description: 'The existing comment with this `_id` and the same body.',
    },
    errors: ['unique_violation', 'match_ambiguous'],
    summary: 'Create a comment',
    description: 'Adds a comment to a record that the caller may comment on; any other `owner_id` is 403.',
    emits: ['comment.created'],
    query: z.strictObject(silentQuery),
    body: z.strictObject({
      _id: z
        .string()
        .regex(uuidShape, 'must be a UUID, for example 019b2f6e-7a00-7000-8000-000000000000')
        .optional()
        .meta({
          description:
            'An id that the client chooses, so that the request can be retried: an existing comment with the ' +
            'same body is returned with 200; with another body it is a conflict.',
          example: exampleIds.newComment,
        }),
      entity: z.string().min(1).meta({ example: 'person' }),
      owner_id: recordReference,
      message,
      attachment_ids: z
        .array(id)
        .max(50)
        .optional()
        .meta({ description: 'Attachments of the record that belong to the comment.' }),
    }),
    response: comment,
    examples: { body: { entity: 'person', owner_id: exampleIds.person, message: exampleMessage } },
  },
  get: {
    method: 'GET',
    path: one,
    caller: 'any',
    scope: 'comments:read',
    recordScope: 'records:read',
    summary: 'Get a comment',
    description: 'Returns the message as blocks of rich text, with its author and times.',
    response: comment,
  },
  update: {
    method: 'PATCH',
    path: one,
    caller: 'any',
    scope: 'comments:write',
    recordScope: 'records:read',
    summary: 'Update a comment',
    description: 'Replaces the message. Only the author may call it.',
    emits: ['comment.updated'],
    query: z.strictObject(silentQuery),
    body: z.strictObject({ message }),
    response: comment,
    examples: { body: { message: exampleMessage } },
  },
  remove: {
    method: 'DELETE',
    path: one,
    caller: 'any',
    scope: 'comments:write',
    recordScope: 'records:read',
    summary: 'Delete a comment',
    description:
      'Deletes the comment permanently. Only its author, admins and the owner of the agent that wrote it ' +
      'may call it. The response is the deleted comment.',
    emits: ['comment.deleted'],
    query: z.strictObject(silentQuery),
    response: comment,
  },
})
