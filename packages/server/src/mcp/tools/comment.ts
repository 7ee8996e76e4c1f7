import { z } from 'zod'
import { id, object } from '../arguments.ts'
import { tool } from '../tool.ts'

export const comment = tool({
  name: 'comment',
  title: 'Comment on a record',
  description: 'Writes a comment on a record, for the people who work with it.',
  uses: ['comments.create'],
  input: z.strictObject({
    object,
    id,
    text: z.string().min(1).max(10_000).meta({ description: 'Plain text; an empty line begins a paragraph.' }),
    idempotency_key: z.string().max(200).optional().meta({ description: 'Makes sending the same call again safe.' }),
  }),
  async run({ call }, { object: entity, id: ownerId, text, idempotency_key: idempotencyKey }) {
    const paragraphs = text.split(/\n\s*\n/).filter((part) => part.trim() !== '')
    const message = paragraphs.map((part) => ({ type: 'paragraph', content: [{ type: 'text', text: part.trim() }] }))
    const { _id } = await call(
      'comments.create',
      { body: { entity, owner_id: ownerId, message } },
      idempotencyKey === undefined ? {} : { idempotencyKey },
    )
    return `Commented on ${entity} ${ownerId} (comment ${_id}).`
  },
})
