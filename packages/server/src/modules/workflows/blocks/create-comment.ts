import { z } from 'zod'
import { isString } from '../../../lib/guards.ts'
import { derivedId } from '../../../kernel/ids.ts'
import { block } from '../plugins/plugin.ts'
import { object, recordId } from './inputs.ts'
import { sending, unrehearsed } from './rehearsal.ts'

const message = z
  .union([
    z.string().trim().min(1).max(20_000),
    z
      .array(z.looseObject({ type: z.string() }))
      .min(1)
      .max(1000),
  ])
  .meta({ description: 'A text, each line of which becomes a paragraph, or blocks of rich text.' })

export const createComment = block({
  id: 'svc:create:comment',
  title: 'Comment on a record',
  description: 'Writes a comment on a record.',
  types: ['workflow'],
  input: z.strictObject({ object, record_id: recordId, message }),
  output: unrehearsed.extend({ comment_id: z.string() }),
  async run(context, given) {
    const { workspace, idempotencyKey } = context
    // Its own id lasts longer than the key of the request: a step that is tried after days still comments once.
    const id = derivedId('comment', workspace.id, idempotencyKey)
    const told = await sending(context, 'comments.create', {
      workspace: workspace.slug,
      body: { _id: id, entity: given.object, owner_id: given.record_id, message: blocksOf(given.message) },
    })
    return { state: 'done', output: { comment_id: id, ...told } }
  },
})

const blocksOf = (given: z.infer<typeof message>) =>
  isString(given)
    ? given.split(/\r?\n/).map((text) => ({ type: 'paragraph', content: text === '' ? [] : [{ type: 'text', text }] }))
    : given
