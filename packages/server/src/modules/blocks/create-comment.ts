import { z } from 'zod'
import { visibleText } from '@kontor/contract'
import { isString } from '../../lib/guards.ts'
import { derivedId } from '../../kernel/ids.ts'
import { block } from '../plugins/index.ts'
import { namedRecord, object } from './inputs.ts'
import { sending, unrehearsed } from './rehearsal.ts'

const message = z
  .union([
    visibleText(20_000),
    z
      .array(z.looseObject({ type: z.string() }))
      .min(1)
      .max(1000),
  ])
  .meta({
    description: 'A text, each line of which becomes a paragraph, or blocks of rich text.',
    example: 'Won for {{trigger.state.event.object.data.amount}}. Call them.',
  })

export const createComment = block({
  id: 'svc:create:comment',
  title: 'Comment on a record',
  description: 'Writes a comment on a record.',
  types: ['workflow'],
  isOneCommit: true,
  syntaxesOf: () => ({ message: 'rich_text' }),
  input: z.strictObject({ object, record_id: namedRecord, message }),
  output: unrehearsed.extend({ comment_id: z.string() }),
  async run(context, given) {
    const { workspace, idempotencyKey } = context
    // A test run can name it too.
    const id = derivedId('comment', workspace.id, idempotencyKey)
    const body = { _id: id, entity: given.object, owner_id: given.record_id, message: blocksOf(given.message) }
    const made = { comment_id: id }
    return {
      state: 'done',
      output: await sending(context, 'comments.create', { workspace: workspace.slug, body }, made),
    }
  },
})

const blocksOf = (given: z.infer<typeof message>) =>
  isString(given)
    ? given.split(/\r?\n/).map((text) => ({ type: 'paragraph', content: text === '' ? [] : [{ type: 'text', text }] }))
    : given
