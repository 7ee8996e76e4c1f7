import { expect, test } from 'vitest'
import { agentsOf, agentsPath } from '../harness/agents.ts'
import { startApp } from '../harness/app.ts'
import { commentsOf, paragraph } from '../harness/comments.ts'
import type { Json } from '../harness/http.ts'
import { calls, modelServer, says } from '../harness/model.ts'
import type { Caller } from '../harness/people.ts'
import { recordsOf } from '../harness/records.ts'

const model = await modelServer()
const app = await startApp({ ai: model.ai })
const { create, carryOut } = agentsOf(app)
const comments = commentsOf(app)
const person = await recordsOf(app).create('person', {})
const scopes = ['records:read', 'comments:read', 'comments:write']
/** The member's. */
const agent = await create({ instructions: 'Comment.', scopes })
const other = await app.addMember('member', 'other')

/** Has the agent write comments; their ids. */
async function written(count: number): Promise<string[]> {
  const comment = { entity: 'person', owner_id: person.id, message: paragraph('From the agent') }
  const asked = Array.from({ length: count }, (): [string, Json] => ['comments_create', { body: comment }])
  model.answer(calls(...asked), says({ text: 'Done.' }))
  await app.events()
  expect((await carryOut(agent.id)).attributes.status).toBe('success')
  const told = (await app.events()).filter(({ type }) => type === 'comment.created')
  return told.map(({ payload }) => payload['comment_id'] as string)
}

test('the owner of an agent deletes its comments, as an admin does, and nobody else', async () => {
  const [first = '', second = '', third = ''] = await written(3)
  const remove = async (id: string, as: Caller): Promise<number> => (await comments.remove(id, { as })).status
  for (const as of [other.as, 'viewer', 'workspaceKey'] as Caller[]) expect(await remove(first, as)).toBe(403)
  const { body } = await comments.get(first)
  expect(body).toMatchObject({ _created_by: agent.id, owner_id: person.id })
  const removed = await comments.remove(first)
  expect([removed.status, removed.body]).toEqual([200, body])
  expect((await comments.get(first)).status).toBe(404)
  expect(await remove(second, 'memberKey')).toBe(200)
  expect(await remove(third, 'admin')).toBe(200)
})

test('who owns an agent no more deletes its comments no more, and its owner never edits them', async () => {
  const [comment = ''] = await written(1)
  expect((await comments.patch(comment, paragraph('Mine'))).status).toBe(403)
  const taken = await app.api.patch(`${agentsPath}/${agent.id}`, { as: 'admin', body: { owner_id: app.userIds.admin } })
  expect(taken.status).toBe(200)
  expect((await comments.remove(comment)).status).toBe(403)
  expect((await comments.remove(comment, { as: 'admin' })).status).toBe(200)
})
