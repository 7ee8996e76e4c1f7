import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { activitiesOf } from '../harness/activities.ts'
import { commentsOf, paragraph } from '../harness/comments.ts'
import type { Json } from '../harness/http.ts'
import { freshAddress, pointersOf, recordsOf } from '../harness/records.ts'
import { mergingOf } from './merging.ts'

const app = await startApp()
const records = recordsOf(app)
const { merged, attributesOf, companyOf } = mergingOf(app)
const feed = activitiesOf(app)
const comments = commentsOf(app)
const items = (...list: string[]) => ({ items: list })

const { merge } = records
const remove = (object: string, ...ids: string[]) => records.remove(object, ids)

const manyFrom = (first: number) => items(...Array.from({ length: 600 }, (_, index) => `label ${first + index}`))

describe('values', () => {
  test('its own win, empty ones are filled in the order of the sources, collections are united', async () => {
    const [a, b, c] = [freshAddress(), freshAddress(), freshAddress()]
    const company = await records.create('company', {})
    const [into, first, second] = await records.createMany('person', [
      { name: { last_name: 'Lee' }, email_addresses: items(a), labels: items('x', 'y'), job_title: null },
      {
        name: { first_name: 'Ann' },
        email_addresses: items(b),
        labels: items('y', 'z'),
        company_id: company.id,
        location: 'Here',
      },
      {
        job_title: 'Clerk',
        email_addresses: items(c),
        phone_numbers: items('+12022243441'),
        location: 'There',
        owner_id: app.userIds.viewer,
      },
    ])
    await app.events()
    await merged('person', into.id, first.id, second.id)
    const { body, headers } = await records.get('person', into.id)
    expect(headers['etag']).toBe('"2"')
    expect(body.data.attributes).toMatchObject({
      name: { first_name: null, last_name: 'Lee', full_name: 'Lee' },
      email_addresses: items(a, b, c),
      labels: items('x', 'y', 'z'),
      phone_numbers: items('+12022243441'),
      job_title: 'Clerk',
      location: 'Here',
      company_id: company.id,
      owner_id: app.userIds.viewer,
      _merged_ids: [first.id, second.id],
      _created_at: into.attributes._created_at,
    })
    expect(body.data.relationships.company_id.data).toEqual({ type: 'company', id: company.id })
    const told = await app.events()
    expect(told.map(({ type, record_id }) => [type, record_id])).toEqual([['record.merged', into.id]])
    expect(told[0]!.payload.sources).toEqual([first.id, second.id])
    expect(told[0]!.payload.diff.map(({ path }: Json) => path[0])).toEqual([
      'email_addresses',
      'phone_numbers',
      'job_title',
      'company_id',
      'location',
      'labels',
      'owner_id',
      '_merged_ids',
    ])
    // Every address leads to it, and to nothing else.
    for (const address of [a, b, c])
      expect(
        (await records.list('person', { 'filter[email_addresses]': address })).body.data.map(({ id }: Json) => id),
      ).toEqual([into.id])
    expect(
      (await records.post('person', { email_addresses: items(c) }, { match_on: 'email_addresses' })).body.data.id,
    ).toBe(into.id)
    await remove('company', company.id)
    expect(await companyOf(into.id)).toBeNull()
  })

  test('a unique text is taken over where the target has none, and is free where it has', async () => {
    const [into, first, second] = await records.createMany('deal', [
      {},
      { name: 'Taken over', amount: 1.5 },
      { name: 'Let go', amount: 2 },
    ])
    await merged('deal', into.id, first.id, second.id)
    expect(await attributesOf('deal', into.id)).toMatchObject({ name: 'Taken over', amount: 1.5 })
    expect((await records.post('deal', { name: 'taken OVER' })).body.errors[0].meta.existing_id).toBe(into.id)
    expect((await records.post('deal', { name: 'Let go' })).status).toBe(201)
    const sorted = await records.list('deal', { 'sortOrder[column]': 'name', 'sortOrder[dir]': 'ASC' })
    expect(
      sorted.body.data.filter(({ attributes }: Json) => attributes.name === 'Taken over').map(({ id }: Json) => id),
    ).toEqual([into.id])
  })

  test('where nothing differs the target still says what was merged into it', async () => {
    const [into, from] = await records.createMany('person', [{}, {}])
    await merged('person', into.id, from.id)
    expect((await records.get('person', into.id)).headers['etag']).toBe('"2"')
    expect((await attributesOf('person', into.id))._merged_ids).toEqual([from.id])
  })

  test('a collection that would grow beyond its limit is refused, and nothing happens', async () => {
    const [into, from] = await records.createMany('person', [{ labels: manyFrom(0) }, { labels: manyFrom(600) }])
    await app.events()
    const answer = await merge('person', into.id, [from.id])
    expect([answer.status, pointersOf(answer)]).toEqual([422, ['/data/attributes/sources']])
    expect(await app.events()).toEqual([])
    expect((await records.get('person', from.id)).status).toBe(200)
  })
})

describe('comments and activities', () => {
  test('comments move, and can be edited where they are', async () => {
    const [into, from] = await records.createMany('person', [{}, {}])
    const said = await comments.create('person', from.id, 'About the duplicate')
    await merged('person', into.id, from.id)
    expect((await comments.get(said._id)).body).toEqual({ ...said, owner_id: into.id })
    expect((await comments.patch(said._id, paragraph('Mended'))).status).toBe(200)
    expect((await feed.outline('person', into.id))[0]).toBe('comment:update 1')
  })

  test('the feeds become one in the order of time, without gaps, page by page', async () => {
    const into = await records.create('person', { job_title: 'A' })
    await app.advance(61_000)
    const from = await records.create('person', { job_title: 'B' })
    for (const [id, title] of [
      [into.id, 'A2'],
      [from.id, 'B2'],
      [into.id, 'A3'],
      [from.id, 'B3'],
    ] as const) {
      await app.advance(61_000)
      await records.patch('person', id, { job_title: title })
      await records.patch('person', id, { job_title: `${title}!` })
    }
    const before = [...(await feed.all('person', into.id)), ...(await feed.all('person', from.id))]
    await app.advance(61_000)
    expect((await merge('person', into.id, [from.id], { as: 'admin' })).status).toBe(204)
    const all = await feed.all('person', into.id)
    const [last, ...moved] = all
    expect(last.attributes.data).toMatchObject([
      {
        type: 'svc:merge',
        actor: { _id: app.userIds.admin },
        object: { _id: into.id, diff: [{ op: 'add', path: ['_merged_ids'], val: [from.id], oldVal: null }] },
      },
    ])
    expect(moved.map(({ attributes }: Json) => attributes.data.at(-1).object.diff[0].val)).toEqual([
      'B3!',
      'A3!',
      'B2!',
      'A2!',
      'B',
      'A',
    ])
    const times = all.map(({ attributes }: Json) => attributes._created_at)
    expect(times).toEqual(times.toSorted((x: string, y: string) => (x < y ? 1 : -1)))
    expect(new Set(moved.map(({ id }: Json) => id))).toEqual(new Set(before.map(({ id }: Json) => id)))
    const paged = await Promise.all(
      all.map((_: Json, offset: number) => feed.list('person', into.id, { 'page[limit]': 1, 'page[offset]': offset })),
    )
    expect(paged.map(({ body }) => [body.data[0].id, body.meta.total_records])).toEqual(
      all.map(({ id }: Json) => [id, 7]),
    )
    await records.patch('person', into.id, { job_title: 'After' })
    expect((await feed.outline('person', into.id)).slice(0, 2)).toEqual(['svc:update 1', 'svc:merge 1'])
  })
})

test('a dry run tells what would change, and nothing does', async () => {
  const [a, b] = [freshAddress(), freshAddress()]
  const [into, from] = await records.createMany('person', [
    { email_addresses: items(a) },
    { email_addresses: items(b), job_title: 'Clerk' },
  ])
  await app.events()
  const { status, body } = await merge('person', into.id, [from.id], { query: { dry_run: true } })
  expect([status, body]).toEqual([
    200,
    {
      meta: {
        dry_run: true,
        diff: [
          { op: 'update', path: ['email_addresses'], val: items(a, b), oldVal: items(a) },
          { op: 'add', path: ['job_title'], val: 'Clerk', oldVal: null },
          { op: 'add', path: ['_merged_ids'], val: [from.id], oldVal: null },
        ],
      },
    },
  ])
  expect(await app.events()).toEqual([])
  expect((await records.get('person', from.id)).body.data).toEqual(from)
  expect((await records.get('person', into.id)).body.data).toEqual(into)
  expect(await feed.outline('person', from.id)).toEqual(['svc:create 1'])
})

test('a hundred sources with histories, links and comments', async () => {
  const [into, ...from] = await records.createMany(
    'company',
    Array.from({ length: 101 }, (_, index) => ({
      name: `Branch ${index}`,
      domains: items(`branch-${index}.example.com`),
    })),
  )
  const people = await records.createMany(
    'person',
    Array.from({ length: 1500 }, (_, index) => ({ company_id: from[index % 100].id })),
  )
  await Promise.all(from.slice(0, 20).map(({ id }) => comments.create('company', id)))
  await merged('company', into.id, ...from.map(({ id }) => id))
  expect((await attributesOf('company', into.id)).domains.items).toHaveLength(101)
  for (const { id } of [people[0], people[777], people[1499]]) expect(await companyOf(id)).toBe(into.id)
  const { body } = await feed.list('company', into.id)
  expect(body.meta.total_records).toBe(101 + 20 + 1)
  expect(body.data).toHaveLength(122)
})
