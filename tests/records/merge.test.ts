import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { activitiesOf } from '../harness/activities.ts'
import { commentsOf, paragraph } from '../harness/comments.ts'
import type { Json } from '../harness/http.ts'
import { freshAddress, pointersOf, recordsOf, recordsPath, resourcesPath, unknownId } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)
const feed = activitiesOf(app)
const comments = commentsOf(app)
const items = (...list: string[]) => ({ items: list })

const { merge } = records
const merged = async (object: string, id: string, ...sources: string[]): Promise<void> => {
  const { status, body } = await merge(object, id, sources)
  expect([status, body]).toEqual([204, undefined])
}
const remove = (object: string, ...ids: string[]) => records.remove(object, ids)
const restore = (object: string, ...ids: string[]) => records.restore(object, ids)
const attributesOf = async (object: string, id: string): Promise<Json> =>
  (await records.get(object, id)).body.data.attributes
const companyOf = async (id: string): Promise<string | null> => (await attributesOf('person', id)).company_id

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

async function createDealWith(...people: string[]): Promise<string> {
  const data = people.map((id) => ({ type: 'person', id }))
  return (
    await app.api.post(resourcesPath('deal'), {
      as: 'member',
      body: { data: { type: 'deal', attributes: {}, relationships: { people: { data } } } },
    })
  ).body.data.id
}

describe('links', () => {
  test('what referred to a source refers to the target, and says so', async () => {
    const [into, from, other] = await records.createMany('company', [{}, {}, {}])
    const people = await records.createMany('person', [
      { company_id: from.id },
      { company_id: from.id },
      { company_id: other.id },
      { company_id: into.id },
    ])
    const deal = await records.create('deal', { company_id: from.id })
    await app.events()
    await merged('company', into.id, from.id)
    expect(await Promise.all(people.map(({ id }) => companyOf(id)))).toEqual([into.id, into.id, other.id, into.id])
    expect((await attributesOf('deal', deal.id)).company_id).toBe(into.id)
    const told = await app.events()
    expect(told.map(({ type }) => type).toSorted()).toEqual([
      'record.merged',
      'record.updated',
      'record.updated',
      'record.updated',
    ])
    expect(told.find(({ record_id }) => record_id === deal.id)!.payload).toEqual({
      diff: [{ op: 'update', path: ['company_id'], val: into.id, oldVal: from.id }],
    })
    await remove('company', into.id)
    expect(await companyOf(people[0].id)).toBeNull()
    await restore('company', into.id)
    expect(await Promise.all(people.map(({ id }) => companyOf(id)))).toEqual([into.id, into.id, other.id, into.id])
  })

  test('between many and many move, once', async () => {
    const [into, from, second] = await records.createMany('person', [{}, {}, {}])
    const deals = [
      await createDealWith(from.id),
      await createDealWith(into.id, from.id, second.id),
      await createDealWith(into.id),
    ]
    await merged('person', into.id, from.id, second.id)
    expect(await app.links(into.id)).toEqual(
      deals.toSorted().map((deal) => ({ relationship: 'deal.people', from_id: deal, to_id: into.id, hidden_by: null })),
    )
    for (const id of [from.id, second.id]) expect(await app.links(id)).toEqual([])
  })

  test('those that wait for a deleted record move too', async () => {
    const [into, from] = await records.createMany('company', [{}, {}])
    const [person, second] = await records.createMany('person', [{ company_id: from.id }, {}])
    await remove('person', person.id)
    await merged('company', into.id, from.id)
    expect((await restore('person', person.id)).body.data[0].attributes.company_id).toBe(into.id)
    expect(await companyOf(person.id)).toBe(into.id)
    // The other way round: what a source lost by a deletion comes back to the target.
    const lost = await records.create('company', {})
    await records.patch('person', second.id, { company_id: lost.id })
    await remove('company', lost.id)
    const heir = await records.create('person', {})
    await merged('person', heir.id, second.id)
    await restore('company', lost.id)
    expect(await companyOf(heir.id)).toBe(lost.id)
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

describe('a source', () => {
  test('answers 404 everywhere and says where it went, at the end of a chain too', async () => {
    const [a, b, c] = await records.createMany('person', [{}, {}, {}])
    const before = await records.count('person')
    await merged('person', b.id, a.id)
    await merged('person', c.id, b.id)
    expect(await records.count('person')).toBe(before - 2)
    expect((await attributesOf('person', c.id))._merged_ids).toEqual([a.id, b.id])
    for (const { id } of [a, b]) {
      const one = `${recordsPath('person')}/${id}`
      const answers = [
        await app.api.get(one),
        await app.api.get(`${resourcesPath('person')}/${id}`),
        await app.api.get(`${one}/activities`),
        await app.api.patch(one, { body: { data: { type: 'person', attributes: {} } } }),
        await app.api.delete(one),
        await merge('person', id, [c.id]),
      ]
      for (const { status, body } of answers)
        expect([status, body.errors[0].code, body.errors[0].meta]).toEqual([404, 'not_found', { merged_into: c.id }])
    }
    expect(
      (await app.api.get('/workspaces/acme/objects/person/deleted-resources')).body.data.map(({ id }: Json) => id),
    ).not.toContain(a.id)
    // It is 404 under another object, as ever.
    expect((await app.api.get(`${recordsPath('company')}/${a.id}`)).body.errors[0].meta).toBeUndefined()
  })

  test('in a bulk call: the ids by where they went', async () => {
    const [into, first, second, live] = await records.createMany('person', [{}, {}, {}, {}])
    await merged('person', into.id, first.id, second.id)
    await app.events()
    const answers = [
      await remove('person', live.id, first.id, unknownId, second.id),
      await restore('person', live.id, first.id, unknownId, second.id),
      await app.api.patch(recordsPath('person'), {
        body: { data: [live.id, first.id, unknownId, second.id].map((id) => ({ type: 'person', id, attributes: {} })) },
      }),
    ]
    for (const { status, body } of answers) {
      expect(status).toBe(404)
      expect(body.errors.map(({ code, meta }: Json) => [code, meta.merged_into ?? null])).toEqual([
        ['not_found', null],
        ['not_found', into.id],
      ])
      expect(body.errors[0].meta.ids).toContain(unknownId)
      expect(body.errors[1].meta.ids).toEqual([first.id, second.id])
    }
    expect((await merge('person', live.id, [first.id])).body.errors[0].meta).toEqual({
      ids: [first.id],
      merged_into: into.id,
    })
    expect((await restore('person', first.id)).body.errors[0].meta).toEqual({ ids: [first.id], merged_into: into.id })
    expect(await app.events()).toEqual([])
  })

  test('says nothing where the target is deleted or may not be seen', async () => {
    const [into, from] = await records.createMany('person', [{}, {}])
    await merged('person', into.id, from.id)
    await remove('person', into.id)
    expect((await records.get('person', from.id)).body.errors[0].meta).toBeUndefined()
    await restore('person', into.id)
    expect((await records.get('person', from.id)).body.errors[0].meta).toEqual({ merged_into: into.id })
    const [mine, other] = await records.createMany('meeting', [{}, {}])
    await merged('meeting', mine.id, other.id)
    expect((await records.get('meeting', other.id)).body.errors[0].meta).toEqual({ merged_into: mine.id })
    expect((await records.get('meeting', other.id, { as: 'viewer' })).body.errors[0].meta).toBeUndefined()
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

test('a hundred sources with histories, links and comments', { timeout: 60_000 }, async () => {
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
