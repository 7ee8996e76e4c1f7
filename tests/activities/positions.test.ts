import { expect, test } from 'vitest'
import { activitiesOf } from '../harness/activities.ts'
import { startApp } from '../harness/app.ts'
import { commentsOf } from '../harness/comments.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'
import { isFull } from '../harness/size.ts'

// Two apps in one process, on one database: positions are given out under the record's lock, not by a process.
const app = await startApp()
const second = await startApp({ beside: app })
const records = recordsOf(app)
const feed = activitiesOf(app)
const nodes = [app, second] as const

/** Total, activities and events of a feed that must fit together: a gap or a duplicate would make them differ. */
async function expectWhole(object: string, id: string, events: number): Promise<void> {
  const { body } = await feed.list(object, id)
  const told = body.data.flatMap(({ attributes }: Json) => attributes.data.map(({ _id }: Json) => _id))
  expect(told).toHaveLength(events)
  expect(new Set(told).size).toBe(events)
  expect(body.meta.total_records).toBe(body.data.length)
  const one = await Promise.all(
    body.data.map((_: Json, offset: number) => feed.list(object, id, { 'page[limit]': 1, 'page[offset]': offset })),
  )
  expect(one.map((page) => page.body.data[0]?.id)).toEqual(body.data.map((activity: Json) => activity.id))
}

test('changes and comments of one record, by two people on two apps in one process', async () => {
  const { id } = await records.create('person', {})
  const write = (index: number) => {
    const node = nodes[index % 2]!
    const as = index % 3 === 0 ? 'admin' : 'member'
    return index % 4 < 2
      ? recordsOf(node).patch('person', id, { job_title: `Job ${index}` }, {}, { as })
      : commentsOf(node).create('person', id, `Comment ${index}`, { as })
  }
  await Promise.all(Array.from({ length: 60 }, (_, index) => write(index)))
  await expectWhole('person', id, 61)
})

test('many records at once, in different orders', async () => {
  const people = await records.createMany(
    'person',
    Array.from({ length: 20 }, () => ({})),
  )
  const update = (index: number) => {
    const data = (index % 2 === 0 ? people : people.toReversed()).map(({ id }) => ({
      type: 'person',
      id,
      attributes: { job_title: `Round ${index}` },
    }))
    return nodes[index % 2]!.api.patch(recordsPath('person'), { body: { data } })
  }
  const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => update(index)))
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
  for (const { id } of people) await expectWhole('person', id, 11)
})

test.runIf(isFull())('ten thousand records are written with their feeds in one go', async () => {
  const made = await records.createMany(
    'company',
    Array.from({ length: 10_000 }, (_, index) => ({ name: `Company ${index}` })),
  )
  for (const { id } of [made[0], made[9999]]) expect(await feed.outline('company', id)).toEqual(['svc:create 1'])
})
