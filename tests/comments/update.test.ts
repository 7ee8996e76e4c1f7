import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { commentsOf, paragraph } from '../harness/comments.ts'
import type { Caller } from '../harness/people.ts'
import { pointersOf, recordsOf, unknownId } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)
const comments = commentsOf(app)
const person = await records.create('person', {})

test('replaces the message and says who did it and when', async () => {
  const comment = await comments.create('person', person.id, 'Befor')
  await app.advance(5000)
  await app.events()
  const { status, body } = await comments.patch(comment._id, paragraph('After'))
  expect(status).toBe(200)
  expect(body).toEqual({
    ...comment,
    message: [
      { ...comment.message[0], id: expect.any(String), content: [{ type: 'text', text: 'After', styles: {} }] },
    ],
    _updated_at: expect.any(String),
    _updated_by: app.userIds.member,
  })
  expect(Date.parse(body._updated_at) - Date.parse(body._created_at)).toBeGreaterThanOrEqual(5000)
  const diff = [
    { op: 'update', path: ['comments', comment._id, 'message'], val: body.message, oldVal: comment.message },
  ]
  expect(await app.events()).toMatchObject([
    { type: 'comment.updated', object: 'person', record_id: person.id, payload: { comment_id: comment._id, diff } },
  ])
  expect((await comments.get(comment._id)).body).toEqual(body)
})

/** A message that names one person twice. */
const mention = (id: string) => [
  {
    type: 'paragraph',
    content: [
      { type: 'mention', entity: 'user', id },
      { type: 'mention', entity: 'user', id },
    ],
  },
]

test('whom it mentions is noted anew', async () => {
  const { body } = await comments.post('person', person.id, mention(app.userIds.admin))
  expect(await app.mentions(body._id)).toEqual([{ entity: 'user', id: app.userIds.admin }])
  await comments.patch(body._id, mention(app.userIds.viewer))
  expect(await app.mentions(body._id)).toEqual([{ entity: 'user', id: app.userIds.viewer }])
  await comments.patch(body._id, paragraph('Another'))
  expect(await app.mentions(body._id)).toEqual([])
})

test('the same message again changes nothing and emits no event', async () => {
  const comment = await comments.create('person', person.id)
  await app.events()
  expect((await comments.patch(comment._id, comment.message)).body).toEqual(comment)
  expect(await app.events()).toEqual([])
})

describe('who edits', () => {
  const who: [Caller, number][] = [
    ['member', 200],
    ['memberKey', 200],
    ['admin', 403],
    ['adminKey', 403],
    ['workspaceKey', 403],
    ['viewer', 403],
    ['stranger', 404],
    ['anonymous', 401],
  ]
  test.for(who)('%s, where the member is the author: %i', async ([as, status]) => {
    const comment = await comments.create('person', person.id)
    await app.events()
    expect((await comments.patch(comment._id, paragraph('Changed'), { as })).status).toBe(status)
    expect(await app.events()).toHaveLength(status === 200 ? 1 : 0)
    if (status !== 200) expect((await comments.get(comment._id)).body).toEqual(comment)
  })

  test('a key of the workspace edits what it wrote itself', async () => {
    const comment = await comments.create('person', person.id, 'By a program', { as: 'workspaceKey' })
    expect((await comments.patch(comment._id, paragraph('By a program, later'), { as: 'workspaceKey' })).status).toBe(
      200,
    )
    expect((await comments.patch(comment._id, paragraph('By the admin'), { as: 'admin' })).status).toBe(403)
  })
})

test('an unknown comment: 404', async () => {
  for (const id of [unknownId, 'nothing', person.id])
    expect((await comments.patch(id, paragraph('x'))).status).toBe(404)
})

test('an empty message: 422, and the comment stays', async () => {
  const comment = await comments.create('person', person.id)
  for (const message of [[], paragraph('  ')]) {
    const answer = await comments.patch(comment._id, message)
    expect([answer.status, pointersOf(answer)]).toEqual([422, ['/message']])
  }
  expect((await comments.get(comment._id)).body).toEqual(comment)
})
