import { expect, test } from 'vitest'
import { memberOf } from '../../lib/guards.ts'
import { blockChecks } from './testing/block-checks.ts'
import { contextOf, StandIn } from './testing/stand-in.ts'
import { createComment } from './create-comment.ts'

const answers = {
  'comments.create': ({ body }: { body?: unknown }) => ({
    ...(body as object),
    message: [],
    _created_at: '2026-06-15T12:00:00.000Z',
    _created_by: 'user-1',
    _updated_at: null,
    _updated_by: null,
  }),
}
const input = { object: 'deal', record_id: 'deal-1', message: 'One\n\nTwo' }
const paragraphs = [
  { type: 'paragraph', content: [{ type: 'text', text: 'One' }] },
  { type: 'paragraph', content: [] },
  { type: 'paragraph', content: [{ type: 'text', text: 'Two' }] },
]

async function bodyFor(key: string, message: unknown): Promise<unknown> {
  const api = new StandIn(answers)
  await createComment.run(contextOf(api.call, { idempotencyKey: key }), { ...input, message })
  return api.calls[0]?.input['body']
}

const commentId = memberOf(await bodyFor('run-1:block-1', input.message), '_id')

test.each(
  blockChecks(createComment, {
    input,
    answers,
    output: { comment_id: commentId },
    rehearsal: {
      comment_id: commentId,
      dry_run: true,
      would: {
        operation: 'comments.create',
        input: {
          workspace: 'acme',
          body: { _id: commentId, entity: 'deal', owner_id: 'deal-1', message: paragraphs },
        },
      },
    },
  }),
)('%s', (_title, check) => check())

test('makes a paragraph of each line', async () => {
  expect(await bodyFor('run-1:block-1', 'One\r\n\r\nTwo')).toMatchObject({ message: paragraphs })
})

test('takes blocks of rich text as they are', async () => {
  const message = [{ type: 'heading', level: 2, content: [{ type: 'text', text: 'One' }] }]
  expect(await bodyFor('run-1:block-1', message)).toMatchObject({ message })
})

test('gives the comments of two steps two ids', async () => {
  expect(memberOf(await bodyFor('run-1:block-2', input.message), '_id')).not.toBe(commentId)
})
