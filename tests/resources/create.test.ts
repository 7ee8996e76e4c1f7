import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { freshAddress, pointersOf, recordsOf, resourcesPath, unknownId } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)
const post = (object: string, relationships: Json, attributes: Json = {}) =>
  app.api.post(resourcesPath(object), { as: 'member', body: { data: { type: object, attributes, relationships } } })

test('makes the same record as under /records, in JSON:API form', async () => {
  await app.events()
  const { status, headers, body } = await app.api.post(resourcesPath('person'), {
    as: 'member',
    body: { data: { type: 'person', attributes: { job_title: 'Senator' } } },
  })
  expect([status, headers['etag'], body.included, body.meta]).toEqual([201, '"1"', [], {}])
  expect((await records.get('person', body.data.id)).body.data).toEqual(body.data)
  expect(await app.events()).toHaveLength(1)
})

describe('relationships', () => {
  test('to one: as the attribute would', async () => {
    const company = await records.create('company', {})
    const { status, body } = await post('person', {
      company_id: { data: { type: 'company', id: company.id } },
      owner_id: { data: { type: 'user', id: app.userIds.viewer } },
    })
    expect(status).toBe(201)
    expect(body.data.attributes).toMatchObject({ company_id: company.id, owner_id: app.userIds.viewer })
    expect((await post('person', { company_id: { data: null } })).body.data.attributes.company_id).toBeNull()
  })

  test('one to many: the others refer to the new record from now on', async () => {
    const [old] = await records.createMany('company', [{}])
    const people = await records.createMany('person', [{ company_id: old.id }, {}, {}])
    await app.events()
    const data = people.slice(0, 2).map(({ id }) => ({ type: 'person', id }))
    const { status, body } = await post('company', { people: { data } })
    expect(status).toBe(201)
    const companies = await Promise.all(
      people.map(async ({ id }) => (await records.get('person', id)).body.data.attributes.company_id),
    )
    expect(companies).toEqual([body.data.id, body.data.id, null])
    expect((await app.events()).map(({ type, object }) => `${object} ${type}`)).toEqual([
      'company record.created',
      'person record.updated',
      'person record.updated',
    ])
  })

  test('many to many, from either end, and each record once', async () => {
    const people = await records.createMany('person', [{}, {}])
    const data = [...people, people[0]].map(({ id }) => ({ type: 'person', id }))
    await app.events()
    const { status, body } = await post('deal', { people: { data } })
    expect(status).toBe(201)
    const told = (await app.events()).find(({ type }) => type === 'relationship.set')
    expect(told).toMatchObject({
      object: 'deal',
      record_id: body.data.id,
      payload: { relationship: 'people', ids: people.map(({ id }) => id) },
    })
    expect((await post('person', { deals: { data: [{ type: 'deal', id: body.data.id }] } })).status).toBe(201)
    expect((await post('person', { deals: { data: [] } })).status).toBe(201)
  })

  const wrong: [string, string, Json, number, string | undefined][] = [
    ['one that is not there', 'person', { compani_id: { data: null } }, 422, '/data/relationships/compani_id'],
    ['an attribute', 'person', { job_title: { data: null } }, 422, '/data/relationships/job_title'],
    ['several to one', 'person', { company_id: { data: [] } }, 422, '/data/relationships/company_id/data'],
    [
      'another type',
      'person',
      { company_id: { data: { type: 'deal', id: unknownId } } },
      422,
      '/data/relationships/company_id/data/type',
    ],
    [
      'another type among several',
      'person',
      {
        deals: {
          data: [
            { type: 'deal', id: unknownId },
            { type: 'task', id: unknownId },
          ],
        },
      },
      422,
      '/data/relationships/deals/data/1/type',
    ],
    [
      'a record that is not there, to one',
      'person',
      { company_id: { data: { type: 'company', id: unknownId } } },
      404,
      undefined,
    ],
    [
      'a record that is not there, one to many',
      'company',
      { people: { data: [{ type: 'person', id: unknownId }] } },
      404,
      undefined,
    ],
    [
      'a record that is not there, many to many',
      'person',
      { deals: { data: [{ type: 'deal', id: unknownId }] } },
      404,
      undefined,
    ],
    ['no id at all', 'person', { deals: { data: [{ type: 'deal', id: 'nothing' }] } }, 404, undefined],
  ]
  test.for(wrong)('%s: %s is refused, and nothing happens', async ([, object, relationships, status, pointer]) => {
    const before = await records.count(object)
    await app.events()
    const answer = await post(object, relationships)
    expect(answer.status).toBe(status)
    if (pointer === undefined)
      expect(answer.body.errors[0]).toMatchObject({ code: 'related_not_found', meta: { ids: [expect.any(String)] } })
    else expect(pointersOf(answer)).toEqual([pointer])
    expect(await records.count(object)).toBe(before)
    expect(await app.events()).toEqual([])
  })

  test('a fault of the attributes is told, and no link is made', async () => {
    const [person] = await records.createMany('person', [{}])
    await app.events()
    const answer = await post(
      'company',
      { people: { data: [{ type: 'person', id: person.id }] } },
      { employee_count: 'x' },
    )
    expect(pointersOf(answer)).toEqual(['/data/attributes/employee_count'])
    expect(await app.events()).toEqual([])
  })
})

test('a unique value that is taken: 409', async () => {
  const address = freshAddress()
  await records.create('person', { email_addresses: { items: [address] } })
  expect((await post('person', {}, { email_addresses: { items: [address] } })).body.errors[0].code).toBe(
    'unique_violation',
  )
})
