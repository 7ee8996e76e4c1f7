import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { commentsOf } from '../harness/comments.ts'
import type { Caller } from '../harness/people.ts'
import { recordsOf, recordsPath, unknownId } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)
const comments = commentsOf(app)

test('is read by every caller who may see the record', async () => {
  const comment = await comments.create('person', (await records.create('person', {})).id)
  const readers: Caller[] = ['admin', 'member', 'memberKey', 'viewer', 'workspaceKey']
  for (const as of readers) expect((await comments.get(comment._id, { as })).body).toEqual(comment)
})

test('is not there for those who may not see the record', async () => {
  const meeting = await records.create('meeting', { title: 'Mine' }, { as: 'admin' })
  const comment = await comments.create('meeting', meeting.id, 'Secret', { as: 'admin' })
  const others: Caller[] = ['member', 'memberKey', 'viewer', 'workspaceKey']
  for (const as of others) {
    const { status, body } = await comments.get(comment._id, { as })
    const { body: absent } = await comments.get(unknownId, { as })
    expect([status, body.errors[0].detail]).toEqual([404, absent.errors[0].detail])
  }
  expect((await comments.get(comment._id, { as: 'admin' })).body).toEqual(comment)
})

test('goes with its record', async () => {
  const person = await records.create('person', {})
  const comment = await comments.create('person', person.id)
  await app.api.delete(`${recordsPath('person')}/${person.id}`)
  expect((await comments.get(comment._id)).status).toBe(404)
  await app.events()
  expect((await comments.patch(comment._id, comment.message)).status).toBe(404)
  expect((await comments.remove(comment._id, { as: 'admin' })).status).toBe(404)
  expect(await app.events()).toEqual([])
})
