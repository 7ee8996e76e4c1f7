import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { commentsOf, paragraph } from '../harness/comments.ts'
import type { Caller } from '../harness/people.ts'
import { recordsOf, unknownId } from '../harness/records.ts'

const app = await startApp()
const second = await startApp({ beside: app })
const records = recordsOf(app)
const comments = commentsOf(app)
const person = await records.create('person', {})

test('answers with the row as it was, and it is gone for good', async () => {
  const comment = await comments.create('person', person.id)
  await app.events()
  const { status, body } = await comments.remove(comment._id)
  expect([status, body]).toEqual([200, comment])
  expect(await app.events()).toMatchObject([
    { type: 'comment.deleted', object: 'person', record_id: person.id, payload: { comment_id: comment._id } },
  ])
  expect((await comments.get(comment._id)).status).toBe(404)
  expect((await comments.remove(comment._id)).status).toBe(404)
  expect((await comments.patch(comment._id, paragraph('x'))).status).toBe(404)
})

describe('who deletes', () => {
  const who: [Caller, number][] = [
    ['member', 200],
    ['memberKey', 200],
    ['admin', 200],
    ['adminKey', 200],
    ['workspaceKey', 403],
    ['viewer', 403],
    ['stranger', 404],
    ['anonymous', 401],
  ]
  test.for(who)('%s, where the member is the author: %i', async ([as, status]) => {
    const comment = await comments.create('person', person.id)
    await app.events()
    expect((await comments.remove(comment._id, { as })).status).toBe(status)
    expect(await app.events()).toHaveLength(status === 200 ? 1 : 0)
    expect((await comments.get(comment._id)).status).toBe(status === 200 ? 404 : 200)
  })

  test('a member does not delete what the admin wrote', async () => {
    const comment = await comments.create('person', person.id, 'Mine', { as: 'admin' })
    expect((await comments.remove(comment._id)).status).toBe(403)
  })
})

test('an unknown comment: 404', async () => {
  for (const id of [unknownId, 'nothing', person.id]) expect((await comments.remove(id)).status).toBe(404)
})

test('many at once, on two apps in one process: one does, the rest find nothing, and it is told once', async () => {
  const comment = await comments.create('person', person.id)
  await app.events()
  const nodes = [comments, commentsOf(second)] as const
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => nodes[index % 2]!.remove(comment._id)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 404)).toHaveLength(19)
  expect(await app.events()).toHaveLength(1)
})
