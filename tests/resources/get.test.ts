import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, recordsPath, resourcesPath } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)

const company = await records.create('company', { name: 'Acme', industry: 'Rockets', owner_id: app.userIds.member })
const person = await records.create('person', {
  job_title: 'Senator',
  description: 'Long',
  company_id: company.id,
  owner_id: app.userIds.admin,
})

const keysOf = (attributes: Json): string[] => Object.keys(attributes).filter((name) => !name.startsWith('_'))

test('answers with the attributes asked for, of the record and of what is included, under either path', async () => {
  for (const path of [resourcesPath, recordsPath]) {
    const { status, body, headers } = await app.api.get(`${path('person')}/${person.id}`, {
      as: 'member',
      query: { 'fields[person]': 'job_title,company_id', 'fields[company]': 'name', include: 'company_id' },
    })
    expect([status, headers['etag']]).toEqual([200, '"1"'])
    expect(body.data.attributes).toMatchObject({
      _id: person.id,
      job_title: 'Senator',
      company_id: company.id,
      _created_at: person.attributes._created_at,
    })
    expect(keysOf(body.data.attributes)).toEqual(['job_title', 'company_id'])
    expect(Object.keys(body.data.relationships)).toEqual(['company_id'])
    expect(body.included.map(({ attributes }: Json) => keysOf(attributes))).toEqual([['name']])
    expect(body.data.relationships.company_id.data).toMatchObject({ id: company.id, attributes: { name: 'Acme' } })
  }
})

test('refuses attributes and objects that there are not', async () => {
  for (const [query, parameter] of [
    [{ 'fields[person]': 'job_title,nothing' }, 'fields[person]'],
    [{ 'fields[company]': 'name' }, 'fields[company]'],
  ] as const) {
    const { status, body } = await app.api.get(`${resourcesPath('person')}/${person.id}`, { as: 'member', query })
    expect([status, body.errors[0].code, body.errors[0].source]).toEqual([400, 'unknown_field', { parameter }])
  }
})

test('includes fifty paths in a handful of statements, and refuses one more', async () => {
  const schema = await app.api.get('/workspaces/acme/schemas/objects/person')
  expect(schema.status).toBe(200)
  const ways = [
    'company_id',
    'owner_id',
    'deals',
    'company_id.owner_id',
    'company_id.people',
    'company_id.deals',
    'deals.owner_id',
    'deals.company_id',
    'deals.tasks',
    'company_id.people.owner_id',
    'company_id.people.company_id',
    'company_id.people.deals',
    'company_id.deals.owner_id',
  ]
  const { status, body } = await app.api.get(`${resourcesPath('person')}/${person.id}`, {
    as: 'member',
    query: { include: ways.join(',') },
  })
  expect([status, body.errors]).toEqual([200, undefined])
  expect(body.data.relationships.company_id.data.relationships.people.data.map(({ id }: Json) => id)).toEqual([
    person.id,
  ])
  expect(body.data.relationships.owner_id.data).toMatchObject({
    type: 'user',
    id: app.userIds.admin,
    attributes: { _id: app.userIds.admin },
  })
  expect(body.data.relationships.company_id.data.relationships.owner_id.data.attributes._id).toBe(app.userIds.member)
  const fifty = Array.from({ length: 50 }, (_, at) => ways[at % ways.length])
  expect(
    (await app.api.get(resourcesPath('person'), { as: 'member', query: { include: fifty.join(',') } })).status,
  ).toBe(200)
  const refused = await app.api.get(resourcesPath('person'), {
    as: 'member',
    query: { include: [...fifty, 'deals'].join(',') },
  })
  expect([refused.status, refused.body.errors[0].source]).toEqual([400, { parameter: 'include' }])
})

const sentDespiteTag =
  'is sent to a reader who has its ETag too: what is included, and what may be seen, change without it'
test(sentDespiteTag, async () => {
  const firm = await records.create('company', { name: 'Before' })
  const { id } = await records.create('person', { company_id: firm.id })
  const get = (query: Record<string, string>, tag = '"1"') =>
    app.api.get(`${recordsPath('person')}/${id}`, { query, headers: { 'If-None-Match': tag } })
  const first = await get({ include: 'company_id' }, '"0"')
  expect([first.status, first.headers['etag']]).toEqual([200, '"1"'])
  expect((await records.patch('company', firm.id, { name: 'After' })).status).toBe(200)
  const { status, body } = await get({ include: 'company_id' })
  expect([status, body.data?.relationships.company_id.data.attributes.name]).toEqual([200, 'After'])
  expect((await get({})).status).toBe(200)
})
