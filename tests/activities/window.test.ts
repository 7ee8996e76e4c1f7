import { expect, test } from 'vitest'
import { activitiesOf } from '../harness/activities.ts'
import { startApp } from '../harness/app.ts'
import { commentsOf } from '../harness/comments.ts'
import { recordsOf } from '../harness/records.ts'
import { isFull } from '../harness/size.ts'
import { verificationOf } from '../harness/verification.ts'

const app = await startApp()
const records = recordsOf(app)
const comments = commentsOf(app)
const feed = activitiesOf(app)

let serial = 0
const retitle = (id: string, as: 'member' | 'admin' = 'member') =>
  records.patch('person', id, { job_title: `Job ${++serial}` }, {}, { as })

test('events of one type and actor within a minute are one activity, oldest first', async () => {
  const { id } = await records.create('person', {})
  for (let made = 0; made < 3; made++) {
    await retitle(id)
    await app.advance(15_000)
  }
  expect(await feed.outline('person', id)).toEqual(['svc:update 3', 'svc:create 1'])
  const [{ attributes }] = await feed.all('person', id)
  const times = attributes.data.map((event: { _created_at: string }) => Date.parse(event._created_at))
  expect(times).toEqual(times.toSorted())
  expect(attributes._created_at).toBe(attributes.data[0]._created_at)
})

test('the minute begins with the first event, so that an activity ends however busy a record is', async () => {
  const { id } = await records.create('person', {})
  for (let made = 0; made < 4; made++) {
    await retitle(id)
    await app.advance(25_000)
  }
  expect(await feed.outline('person', id)).toEqual(['svc:update 1', 'svc:update 3', 'svc:create 1'])
})

test('other people and other types are activities of their own, and do not end the one that goes on', async () => {
  const { id } = await records.create('person', {})
  await retitle(id)
  await comments.create('person', id)
  await retitle(id, 'admin')
  await retitle(id)
  await comments.create('person', id)
  expect(await feed.outline('person', id)).toEqual(['svc:update 1', 'comment:create 2', 'svc:update 2', 'svc:create 1'])
})

test('another record has its own', async () => {
  const [ada, ben] = await records.createMany('person', [{}, {}])
  await retitle(ada.id)
  await retitle(ben.id)
  for (const { id } of [ada, ben]) expect(await feed.outline('person', id)).toEqual(['svc:update 1', 'svc:create 1'])
})

test('a record without the end of its feed, as those of before, finds it in the feed', async () => {
  const { id } = await records.create('person', {})
  await retitle(id)
  await verificationOf(app.databaseUrl).change((tx, workspace_id) =>
    tx.updateByKey('record', ['workspace_id', 'id'], [{ workspace_id, id, feed_end: null }]),
  )
  await retitle(id)
  await retitle(id)
  expect(await feed.outline('person', id)).toEqual(['svc:update 3', 'svc:create 1'])
})

test.runIf(isFull())('an activity holds a hundred events at most', async () => {
  const { id } = await records.create('person', {})
  for (let made = 0; made < 205; made++) await retitle(id)
  const { body } = await feed.list('person', id)
  expect(body.meta.total_records).toBe(4)
  expect(await feed.outline('person', id)).toEqual(['svc:update 5', 'svc:update 100', 'svc:update 100', 'svc:create 1'])
})
