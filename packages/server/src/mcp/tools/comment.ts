import { z } from 'zod'
import { id, idempotencyKey, object, underKey } from '../arguments.ts'
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
    idempotency_key: idempotencyKey,
  }),
  async run({ call }, { object: entity, id: ownerId, text, idempotency_key: key }) {
    const paragraphs = text.split(/\n\s*\n/).filter((part) => part.trim() !== '')
    const message = paragraphs.map((part) => ({ type: 'paragraph', content: [{ type: 'text', text: part.trim() }] }))
    const { _id } = await call('comments.create', { body: { entity, owner_id: ownerId, message } }, underKey(key))
    return `Commented on ${entity} ${ownerId} (comment ${_id}).`
  },
})
