import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, resourcesPath } from '../harness/records.ts'
import { isFull } from '../harness/size.ts'

const app = await startApp()
const records = recordsOf(app)
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

/** A record by its object and its id. */
type RecordName = readonly [object: string, id: string]

const orders = [0, 1, 2, 3].map((bits) => [(bits & 1) === 0, (bits & 2) === 0] as const)

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

  test.runIf(isFull())('of thousands come back in one request', async () => {
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
  const [first, second] = (dealBack ? pair : pair.toReversed()) as [RecordName, RecordName]
  await restore(first[0], [first[1]])
  expect(await app.links(person.id)).toEqual([{ ...link, hidden_by: second[1] }])
  await restore(second[0], [second[1]])
  expect(await app.links(person.id)).toEqual([{ ...link, hidden_by: null }])
})
