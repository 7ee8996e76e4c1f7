import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { activitiesOf } from '../harness/activities.ts'
import { commentsOf } from '../harness/comments.ts'
import type { Json } from '../harness/http.ts'
import { freshAddress, pointersOf, recordsOf, recordsPath, resourcesPath, unknownId } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)
const feed = activitiesOf(app)
const comments = commentsOf(app)
const items = (...list: string[]) => ({ items: list })
const days = (count: number) => count * 24 * 3_600_000

const { restore } = records
const remove = (object: string, ...ids: string[]) => records.remove(object, ids)
const referenceOf = async (object: string, id: string, field: string) => {
  const { body } = await records.get(object, id)
  expect(body.data.relationships[field].data?.id ?? null, 'attribute and relationship agree').toBe(
    body.data.attributes[field],
  )
  return body.data.attributes[field]
}
const createLinked = async (object: string, relationships: Json): Promise<Json> =>
  (
    await app.api.post(resourcesPath(object), {
      as: 'member',
      body: { data: { type: object, attributes: {}, relationships } },
    })
  ).body.data

test('a record comes back as it was, everywhere at once, and says so', async () => {
  const address = freshAddress()
  const made = await records.create('person', {
    name: { first_name: 'Ann', last_name: 'Lee' },
    email_addresses: items(address),
    job_title: 'Clerk',
  })
  const said = await comments.create('person', made.id, 'Stays')
  await remove('person', made.id)
  const before = await records.count('person')
  await app.events()
  const { status, body } = await restore('person', [made.id])
  const { _updated_at, ...attributes } = made.attributes
  expect([status, body]).toEqual([
    200,
    { data: [{ ...made, attributes: { ...attributes, _updated_at: expect.any(String) } }] },
  ])
  expect(body.data[0].attributes._updated_at >= _updated_at).toBe(true)
  expect(await app.events()).toEqual([
    {
      type: 'record.restored',
      object: 'person',
      record_id: made.id,
      silent: false,
      actor: { id: app.userIds.member, kind: 'user' },
      payload: {},
    },
  ])
  const { body: got, headers } = await records.get('person', made.id)
  expect([got.data, headers['etag']]).toEqual([body.data[0], '"3"'])
  expect(await records.count('person')).toBe(before + 1)
  expect((await records.list('person', { 'filter[email_addresses]': address })).body.data).toEqual(body.data)
  expect(
    (
      await records.list('person', { 'sortOrder[column]': 'name', 'sortOrder[dir]': 'ASC', 'page[limit]': 1000 })
    ).body.data.map(({ id }: Json) => id),
  ).toContain(made.id)
  expect((await records.post('person', { email_addresses: items(address) })).body.errors[0].meta.existing_id).toBe(
    made.id,
  )
  expect((await comments.get(said._id)).status).toBe(200)
})

test('who deleted and who restored stands in its activities, with what happened', async () => {
  const { id } = await records.create('person', {})
  await remove('person', id)
  await restore('person', [id], { as: 'admin' })
  const told = (await feed.all('person', id)).map(
    ({
      attributes: {
        data: [event],
      },
    }) => [event.type, event.actor._id, event.object.diff],
  )
  expect(told).toEqual([
    ['svc:restore', app.userIds.admin, [{ op: 'add', path: ['_id'], val: id, oldVal: null }]],
    ['svc:delete', app.userIds.member, [{ op: 'delete', path: ['_id'], val: null, oldVal: id }]],
    ['svc:create', app.userIds.member, []],
  ])
})

test('who polls by _updated_at meets it', async () => {
  const { id } = await records.create('person', {})
  await remove('person', id)
  await app.advance(1000)
  const since = new Date(app.now()).toISOString()
  await restore('person', [id])
  expect(
    (await records.list('person', { 'filter[_updated_at][Is on or after]': since })).body.data.map(
      (one: Json) => one.id,
    ),
  ).toEqual([id])
})

describe('references to it', () => {
  test('come back where the field is still empty, with an event each', async () => {
    const [company, other] = await records.createMany('company', [{}, {}])
    const people = await records.createMany('person', [{ company_id: company.id }, { company_id: company.id }, {}])
    await remove('company', company.id)
    await records.patch('person', people[1].id, { company_id: other.id })
    await app.events()
    await restore('company', [company.id])
    expect(await Promise.all(people.map(({ id }) => referenceOf('person', id, 'company_id')))).toEqual([
      company.id,
      other.id,
      null,
    ])
    const told = await app.events()
    expect(told.map(({ type, record_id }) => [type, record_id])).toEqual([
      ['record.restored', company.id],
      ['record.updated', people[0].id],
    ])
    expect(told[1]!.payload).toEqual({ diff: [{ op: 'add', path: ['company_id'], val: company.id, oldVal: null }] })
    // Nothing waits any more: the link of the second is gone for good.
    await records.patch('person', people[1].id, { company_id: null })
    await remove('company', company.id)
    await restore('company', [company.id])
    expect(await referenceOf('person', people[1].id, 'company_id')).toBeNull()
  })

  test('of which one field takes one: the other way round, too', async () => {
    const [first, second] = await records.createMany('company', [{}, {}])
    const { id } = await records.create('person', { company_id: first.id })
    await remove('company', first.id)
    await records.patch('person', id, { company_id: second.id })
    await remove('company', second.id)
    await restore('company', [first.id, second.id])
    const taken = await referenceOf('person', id, 'company_id')
    expect([first.id, second.id]).toContain(taken)
    await records.patch('person', id, { company_id: null })
    for (const company of [first, second])
      expect((await records.patch('person', id, { company_id: company.id })).status).toBe(200)
  })

  test('of thousands come back in one request', async () => {
    const company = await records.create('company', {})
    const people = await records.createMany(
      'person',
      Array.from({ length: 2500 }, () => ({ company_id: company.id })),
    )
    await remove('company', company.id)
    await restore('company', [company.id])
    for (const { id } of [people[0], people[1200], people[2499]])
      expect(await referenceOf('person', id, 'company_id')).toBe(company.id)
  })
})

describe('its own references', () => {
  test('stay where they point at something, and are empty where that is gone', async () => {
    const [here, gone] = await records.createMany('company', [{}, {}])
    const people = await records.createMany('person', [{ company_id: here.id }, { company_id: gone.id }])
    await remove('person', ...people.map(({ id }) => id))
    await remove('company', gone.id)
    const { body } = await restore(
      'person',
      people.map(({ id }) => id),
    )
    expect(body.data.map(({ attributes }: Json) => attributes.company_id)).toEqual([here.id, null])
    expect(await referenceOf('person', people[0].id, 'company_id')).toBe(here.id)
    expect(await referenceOf('person', people[1].id, 'company_id')).toBeNull()
    await restore('company', [gone.id])
    expect(await referenceOf('person', people[1].id, 'company_id')).toBe(gone.id)
  })

  test('to members stay', async () => {
    const { id } = await records.create('person', { owner_id: app.userIds.viewer })
    await remove('person', id)
    await restore('person', [id])
    expect(await referenceOf('person', id, 'owner_id')).toBe(app.userIds.viewer)
  })
})

/** A record by its object and its id. */
type Named = readonly [object: string, id: string]

const orders = [0, 1, 2, 3].map((bits) => [(bits & 1) === 0, (bits & 2) === 0] as const)

test.for(orders)(
  'two linked records, deleted and restored in any order, are linked again after the second (%j)',
  async ([companyFirst, companyBack]) => {
    const company = await records.create('company', {})
    const person = await records.create('person', { company_id: company.id })
    const pair = [
      ['company', company.id],
      ['person', person.id],
    ] as const
    for (const [object, id] of companyFirst ? pair : pair.toReversed()) await remove(object, id)
    for (const [object, id] of companyBack ? pair : pair.toReversed())
      expect((await restore(object, [id])).status).toBe(200)
    expect(await referenceOf('person', person.id, 'company_id')).toBe(company.id)
    // And it is a link as any other.
    await remove('company', company.id)
    expect(await referenceOf('person', person.id, 'company_id')).toBeNull()
  },
)

test.for(orders)('so are those of a relationship between many and many (%j)', async ([dealFirst, dealBack]) => {
  const person = await records.create('person', {})
  const deal = await createLinked('deal', { people: { data: [{ type: 'person', id: person.id }] } })
  const pair = [
    ['deal', deal.id],
    ['person', person.id],
  ] as const
  const link = { relationship: 'deal.people', from_id: deal.id, to_id: person.id }
  expect(await app.links(person.id)).toEqual([{ ...link, hidden_by: null }])
  for (const [object, id] of dealFirst ? pair : pair.toReversed()) await remove(object, id)
  const [first, second] = (dealBack ? pair : pair.toReversed()) as [Named, Named]
  await restore(first[0], [first[1]])
  expect(await app.links(person.id)).toEqual([{ ...link, hidden_by: second[1] }])
  await restore(second[0], [second[1]])
  expect(await app.links(person.id)).toEqual([{ ...link, hidden_by: null }])
})

describe('all or none', () => {
  test('unique values that another record has taken: 409 that names every item and who has them', async () => {
    const addresses = [freshAddress(), freshAddress(), freshAddress()]
    const made = await records.createMany(
      'person',
      addresses.map((address) => ({ email_addresses: items(address) })),
    )
    await remove('person', ...made.map(({ id }) => id))
    const [first, third] = await records.createMany('person', [
      { email_addresses: items(addresses[0]!.toUpperCase()) },
      { email_addresses: items(freshAddress(), addresses[2]!) },
    ])
    await app.events()
    const answer = await restore(
      'person',
      made.map(({ id }) => id),
    )
    expect([answer.status, pointersOf(answer)]).toEqual([409, ['/items/0', '/items/2']])
    expect(answer.body.errors.map(({ code, meta }: Json) => [code, meta])).toEqual([
      ['unique_violation', { field: 'email_addresses', value: addresses[0], existing_id: first.id }],
      ['unique_violation', { field: 'email_addresses', value: addresses[2], existing_id: third.id }],
    ])
    expect(await app.events()).toEqual([])
    expect((await records.get('person', made[1].id)).status).toBe(404)
    expect((await restore('person', [made[1].id])).status).toBe(200)
  })

  test('two that were deleted one after the other with one value', async () => {
    const address = freshAddress()
    const ids: string[] = []
    for (const _ of [1, 2]) {
      const { id } = await records.create('person', { email_addresses: items(address) })
      await remove('person', id)
      ids.push(id)
    }
    const answer = await restore('person', ids)
    expect([answer.status, pointersOf(answer)]).toEqual([409, ['/items/1']])
  })

  test('what is not deleted, unknown, of another object or no id at all: 404 with its ids', async () => {
    const [live, deleted] = await records.createMany('person', [{}, {}])
    const company = await records.create('company', {})
    await remove('person', deleted.id)
    await remove('company', company.id)
    await app.events()
    for (const wrong of [live.id, unknownId, company.id, 'nothing']) {
      const { status, body } = await restore('person', [deleted.id, wrong])
      expect([status, body.errors[0].code, body.errors[0].meta]).toEqual([404, 'not_found', { ids: [wrong] }])
      expect((await restore('person', [wrong])).body.errors[0].meta).toEqual({ ids: [wrong] })
    }
    expect(await app.events()).toEqual([])
  })

  test('an id given twice counts once, and its second restore is 404', async () => {
    const { id } = await records.create('person', {})
    await remove('person', id)
    const before = await records.count('person')
    expect((await restore('person', [id, id])).body.data).toHaveLength(1)
    expect(await records.count('person')).toBe(before + 1)
    expect((await restore('person', [id])).status).toBe(404)
  })

  test('after 30 days nothing comes back', async () => {
    const { id } = await records.create('person', {})
    const other = await records.create('person', {})
    await remove('person', id)
    await app.advance(days(30) - 60_000)
    await remove('person', other.id)
    expect((await restore('person', [id], { query: { dry_run: true } })).status).toBe(200)
    await app.advance(120_000)
    expect((await restore('person', [other.id, id])).body.errors[0].meta).toEqual({ ids: [id] })
    expect((await restore('person', [other.id])).status).toBe(200)
  })
})

describe('who may', () => {
  test('only those who may change it; others do not learn that it was there', async () => {
    const { id } = await records.create('meeting', { title: 'Secret' })
    await remove('meeting', id)
    expect((await restore('meeting', [id], { as: 'workspaceKey' })).status).toBe(404)
    expect((await restore('meeting', [id])).status).toBe(200)
    const ofAdmin = await records.create('meeting', {}, { as: 'admin' })
    await app.api.delete(`${recordsPath('meeting')}/${ofAdmin.id}`)
    expect((await restore('meeting', [ofAdmin.id])).status).toBe(404)
    expect((await restore('meeting', [ofAdmin.id], { as: 'admin' })).status).toBe(200)
  })

  test('members are not restored', async () => {
    expect((await restore('user', [app.userIds.viewer], { as: 'admin' })).status).toBe(403)
  })
})

test('a dry run tells what would come back, and nothing does', async () => {
  const company = await records.create('company', {})
  const person = await records.create('person', { company_id: company.id })
  await remove('company', company.id)
  await app.events()
  const { status, body } = await restore('company', [company.id], { query: { dry_run: true } })
  expect([status, body.meta]).toEqual([
    200,
    { dry_run: true, diff: [{ op: 'add', path: ['_id'], val: company.id, oldVal: null }] },
  ])
  expect((await records.get('company', company.id)).status).toBe(404)
  expect(await referenceOf('person', person.id, 'company_id')).toBeNull()
  expect(await app.events()).toEqual([])
})
