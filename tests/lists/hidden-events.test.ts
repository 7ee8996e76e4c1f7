import { expect, test } from 'vitest'
import { activitiesOf } from '../harness/activities.ts'
import { startApp } from '../harness/app.ts'
import { logOf } from '../harness/events.ts'
import { share } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import { createKey, type Caller } from '../harness/people.ts'
import { nextNumber, recordsOf } from '../harness/records.ts'
import { listsOf } from './lists.ts'

// Lists of the member; the colleague may see the records, and no list that is not shared.
const app = await startApp()
const records = recordsOf(app)
const lists = listsOf(app)
const feed = activitiesOf(app)
const log = logOf(app)
const colleague = await app.addMember('member', 'colleague')

const told = async (id: string, as: Caller, query: Json = {}) => {
  const { body } = await feed.list('person', id, query, { as })
  return {
    types: body.data.map(({ attributes }: Json) => attributes.data.map(({ type }: Json) => type)),
    total: body.meta.total_records as number,
  }
}
const created = { types: [['svc:create']], total: 1 }

/** A private list with a person on it. */
async function privateList(): Promise<{ person: Json; list: string }> {
  const person = await records.create('person', {})
  const { id: list } = await lists.create('person')
  await lists.add('person', list, [person.id])
  return { person, list }
}

test('who may not see a list is told neither that a record joined and left it, nor when, nor how often', async () => {
  const { person, list } = await privateList()
  const before = await records.get('person', person.id, { as: colleague.as })
  const start = await log.end()
  await lists.take('person', list, [person.id])
  await lists.add('person', list, [person.id])
  expect((await log.since(start, colleague.as)).filter(({ record_id }) => record_id === person.id)).toEqual([])
  expect(await log.since(start)).toHaveLength(2)
  expect(await told(person.id, colleague.as)).toEqual(created)
  for (const query of [{ 'filter[type]': 'svc:add-to-list' }, { 'filter[type]': 'svc:remove-from-list' }])
    expect(await told(person.id, colleague.as, query)).toEqual({ types: [], total: 0 })
  for (const query of [
    { 'filter[actor]': app.userIds.member },
    { 'page[limit]': 1 },
    { 'sortOrder[column]': '_created_at', 'sortOrder[dir]': 'ASC' },
  ])
    expect(await told(person.id, colleague.as, query), JSON.stringify(query)).toEqual(created)
  expect(await told(person.id, colleague.as, { 'page[offset]': 1 })).toEqual({ types: [], total: 1 })
  const after = await records.get('person', person.id, { as: colleague.as })
  expect([after.body, after.headers['etag']]).toEqual([before.body, before.headers['etag']])
  expect(await told(person.id, 'member')).toEqual({
    types: [['svc:remove-from-list'], ['svc:add-to-list', 'svc:add-to-list'], ['svc:create']],
    total: 3,
  })
  expect(await told(person.id, 'admin')).toMatchObject({ total: 3 })
})

test('what is shared and what is not stands apart, and follows who may see the list now', async () => {
  const { person, list } = await privateList()
  const { id: shared } = await lists.create('person', { permission: 'workspace' })
  await lists.add('person', shared, [person.id])
  const seen = { types: [['svc:add-to-list'], ['svc:create']], total: 2 }
  expect(await told(person.id, colleague.as)).toEqual(seen)
  expect(await told(person.id, 'member')).toEqual({ ...seen, types: [['svc:add-to-list'], ...seen.types], total: 3 })
  await share(app.api.post, `list/records/${list}`, colleague.id, 'view')
  expect(await told(person.id, colleague.as)).toMatchObject({ total: 3 })
})

test('pages lead through what is seen, and their links do not say what is not', async () => {
  const { person, list } = await privateList()
  for (let turn = 0; turn < 3; turn++) {
    await records.patch(
      'person',
      person.id,
      { job_title: `Turn ${turn}` },
      {},
      { as: turn % 2 === 0 ? 'member' : 'admin' },
    )
    await (turn % 2 === 0 ? lists.take : lists.add)('person', list, [person.id])
    await app.advance(61_000)
  }
  const whole = (await feed.list('person', person.id, {}, { as: colleague.as })).body.data
  expect(whole).toHaveLength(4)
  let page = await feed.list('person', person.id, { 'page[limit]': 1 }, { as: colleague.as })
  const walked: Json[] = []
  for (;;) {
    expect(page.body.meta).toMatchObject({ total_records: 4, total_pages: 4 })
    walked.push(...page.body.data)
    if (page.body.links.next === null) break
    const cursor = new URL(page.body.links.next).searchParams.get('page[after]')!
    // The position in the whole feed would say how much is left out.
    expect(Buffer.from(cursor, 'base64url').toString()).toContain(page.body.data.at(-1).id)
    page = await app.api.get(page.body.links.next, { as: colleague.as })
  }
  expect(walked).toEqual(whole)
  const back = await app.api.get(page.body.links.prev, { as: colleague.as })
  expect(back.body.data).toEqual([whole[2]])
})

test('a list that is deleted stays a secret from those who could not see it', async () => {
  await app.startJobs()
  const { person, list } = await privateList()
  const start = await log.end()
  await lists.remove('person', list)
  const deleted = (event: Json) => event.type === 'list.deleted' && event.record_id === list
  expect((await log.since(start)).filter(deleted)).toHaveLength(1)
  expect((await log.since(start, colleague.as)).filter(deleted)).toEqual([])
  expect(await told(person.id, colleague.as)).toEqual(created)
  expect(await told(person.id, 'member')).toMatchObject({ total: 2 })
})

test('a dynamic list that is not shared does not tell when a hidden meeting is renamed', async () => {
  await app.startJobs()
  const ofAdmin = recordsOf(app, 'admin')
  const own = listsOf(app, 'admin')
  const word = `Merger${nextNumber()}`
  const meeting = await ofAdmin.create('meeting', { title: 'Weekly' })
  const task = await ofAdmin.create('task', { title: 'Seen by all', meeting_id: meeting.id })
  const { id } = await own.create('task', {
    query: { filter: { field: 'meeting_id.title', op: 'Contains', value: word } },
  })
  await own.publish('task', id)
  const total = async (as: Caller) => (await feed.list('task', task.id, {}, { as })).body.meta.total_records as number
  const before = await total('member')
  await ofAdmin.patch('meeting', meeting.id, { title: word })
  await expect.poll(() => total('admin')).toBeGreaterThan(before)
  expect(await total('member')).toBe(before)
})

const keyed = async (...scopes: string[]) => {
  const { key } = await createKey(app.api.post, 'member', { scopes })
  return { authorization: `api-key ${key}` }
}

test('a credential that may not read lists is told of none in feeds, whoever holds it', async () => {
  const { person } = await privateList()
  expect(await told(person.id, await keyed('records:read', 'lists:read'))).toMatchObject({ total: 2 })
  for (const narrow of [await keyed('records:read'), await keyed('records:read:person', 'schemas:read')]) {
    expect(await told(person.id, narrow)).toEqual(created)
    expect(await told(person.id, narrow, { 'filter[type]': 'svc:add-to-list' })).toEqual({ types: [], total: 0 })
  }
})
