import { beforeEach, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { share } from '../harness/grants.ts'
import { commentsOf } from '../harness/comments.ts'
import { freshAddress, recordsOf } from '../harness/records.ts'

const app = await startApp()
const otherNode = await startApp({ beside: app })
const records = recordsOf(app)
const comments = commentsOf(app)
const day = 24 * 3_600_000

const remove = (object: string, ...ids: string[]) => records.remove(object, ids)
const restore = (object: string, ...ids: string[]) => records.restore(object, ids)

/** Batches until there is no more; how many records went. */
async function purgeAll(limit?: number): Promise<number> {
  let gone = 0
  for (let batch = 0; batch < 200; batch++) {
    const { records: some, more } = await app.purge(limit === undefined ? {} : { limit })
    gone += some
    if (!more) return gone
  }
  throw new Error('the purge does not end')
}

beforeEach(async () => {
  await app.advance(31 * day)
  await purgeAll()
})

test('30 days after its deletion a record is gone with all that belonged to it, and not before', async () => {
  const company = await records.create('company', {})
  const address = freshAddress()
  const [gone, kept] = await records.createMany('person', [
    { company_id: company.id, email_addresses: { items: [address] }, name: { last_name: 'Lee' } },
    {},
  ])
  const said = await comments.create('person', gone.id)
  for (const grantee of [app.userIds.viewer, 'workspace'])
    await share(app.api.post, `person/records/${gone.id}`, grantee, 'comment')
  await remove('person', gone.id)
  await app.advance(20_000)
  await remove('person', kept.id)
  await app.advance(30 * day - 50_000)
  expect(await app.purge()).toEqual({ records: 0, more: false })
  expect(await app.remains(gone.id)).toEqual({ record: 1, link: 1, comment: 1, activity: 5, access_grant: 2 })
  await app.advance(40_000)
  const before = await records.count('person')
  await app.events()
  expect(await app.purge()).toEqual({ records: 1, more: false })
  expect(await app.remains(gone.id)).toEqual({})
  expect(await app.remains(kept.id)).toEqual({ record: 1, activity: 2 })
  expect(await app.events()).toEqual([])
  expect(await records.count('person')).toBe(before)
  expect((await restore('person', gone.id)).body.errors[0].meta).toEqual({ ids: [gone.id] })
  expect((await restore('person', kept.id)).status).toBe(200)
  expect((await comments.get(said._id)).status).toBe(404)
  expect((await records.get('company', company.id)).status).toBe(200)
})

test('what was linked to it forgets it', async () => {
  const [first, second] = await records.createMany('company', [{}, {}])
  const [live, deleted] = await records.createMany('person', [{ company_id: first.id }, { company_id: second.id }])
  await remove('company', first.id, second.id)
  await app.advance(2 * day)
  await remove('person', deleted.id)
  await app.advance(29 * day)
  expect(await purgeAll()).toBe(2)
  expect((await restore('person', deleted.id)).body.data[0].attributes.company_id).toBeNull()
  for (const { id } of [live, deleted]) expect(await app.links(id)).toEqual([])
})

test('a record whose other end was purged before it comes back without the link', async () => {
  const company = await records.create('company', {})
  const person = await records.create('person', { company_id: company.id })
  await remove('person', person.id)
  await app.advance(2 * day)
  await remove('company', company.id)
  await app.advance(29 * day)
  expect(await purgeAll()).toBe(1)
  expect(await app.links(company.id)).toEqual([])
  expect((await restore('company', company.id)).status).toBe(200)
  expect(await app.remains(person.id)).toEqual({})
})

test('goes in batches, may stop anywhere, and begins again', async () => {
  const people = await records.createMany(
    'person',
    Array.from({ length: 25 }, () => ({})),
  )
  const company = await records.create('company', {})
  const employees = await records.createMany(
    'person',
    Array.from({ length: 130 }, () => ({ company_id: company.id })),
  )
  await remove('person', ...people.map(({ id }) => id))
  await remove('company', company.id)
  await app.advance(31 * day)
  expect(await app.purge({ limit: 10 })).toEqual({ records: 10, more: true })
  expect(await purgeAll(10)).toBe(16)
  for (const { id } of [...people, company]) expect(await app.remains(id)).toEqual({})
  expect(await app.remains(employees[0].id)).toEqual({ record: 1, field_text: 1, search_document: 1, activity: 2 })
})

test('a record with a long history takes several batches, and answers 404 throughout', async () => {
  const { id } = await records.create('person', {})
  for (let batch = 0; batch < 4; batch++)
    await Promise.all(Array.from({ length: 10 }, () => comments.create('person', id)))
  await remove('person', id)
  await app.advance(31 * day)
  const batches = []
  for (let more = true; more;) {
    const batch = await app.purge({ limit: 2 })
    batches.push(batch.records)
    more = batch.more
    expect((await restore('person', id)).status).toBe(404)
  }
  // 42 events and 40 comments, 20 rows at a time.
  expect(batches).toEqual([0, 0, 0, 0, 1])
  expect(await app.remains(id)).toEqual({})
})

test('the trace of a merged record stays as long as the record that it lives on in', async () => {
  const [into, from] = await records.createMany('person', [{}, {}])
  await records.merge('person', into.id, [from.id])
  await app.advance(31 * day)
  expect(await purgeAll()).toBe(1)
  expect((await records.get('person', from.id)).body.errors[0].meta).toEqual({ merged_into: into.id })
  expect((await records.get('person', into.id)).body.data.attributes._merged_ids).toEqual([from.id])
  await remove('person', into.id)
  await app.advance(31 * day)
  expect(await purgeAll()).toBe(1)
  expect((await records.get('person', from.id)).body.errors[0].meta).toBeUndefined()
  for (const { id } of [into, from]) expect(await app.remains(id)).toEqual({})
})

test('every workspace is purged, and several nodes may do so at once', async () => {
  const people = await records.createMany(
    'person',
    Array.from({ length: 60 }, () => ({})),
  )
  const { body } = await app.api.post('/workspaces/other/objects/person/records', {
    as: 'stranger',
    body: { data: { type: 'person', attributes: {} } },
  })
  await app.api.delete(`/workspaces/other/objects/person/records/${body.data.id}`, { as: 'stranger' })
  await remove('person', ...people.map(({ id }) => id))
  await app.advance(31 * day)
  await otherNode.advance(app.now() - otherNode.now())
  const batches = await Promise.all(
    Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? app : otherNode).purge({ limit: 20 })),
  )
  const gone = batches.reduce((sum, batch) => sum + batch.records, 0)
  expect(gone + (await purgeAll())).toBe(61)
  expect(await app.remains(body.data.id)).toEqual({})
})
