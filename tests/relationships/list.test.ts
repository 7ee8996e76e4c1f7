import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, recordsPath, resourcesPath } from '../harness/records.ts'
import { isFull } from '../harness/size.ts'

const app = await startApp()
const records = recordsOf(app)
const path = (object: string, id: string, relationship: string): string =>
  `${recordsPath(object)}/${id}/relationships/${relationship}`
const ids = (data: Json[]): string[] => data.map(({ id }) => id)

const company = await records.create('company', { name: 'Acme' })
const people = await records.createMany(
  'person',
  Array.from({ length: 7 }, (_, n) => ({
    name: { first_name: 'P', last_name: `L${(n * 5) % 7}` },
    company_id: company.id,
    job_title: n % 2 === 0 ? 'Even' : 'Odd',
  })),
)
const deals = await records.createMany(
  'deal',
  Array.from({ length: 120 }, (_, n) => ({ amount: n })),
)
for (const person of people.slice(0, 2)) {
  await app.api.post(path('person', person.id, 'deals'), {
    as: 'member',
    body: { data: deals.map(({ id }) => ({ type: 'deal', id })) },
  })
}

describe('pages', () => {
  test('oldest first, with an exact total, by links', async () => {
    const { status, body } = await app.api.get(path('company', company.id, 'people'), {
      as: 'member',
      query: { 'page[limit]': '3' },
    })
    expect([status, body.meta, ids(body.data)]).toEqual([
      200,
      { total_records: 7, total_pages: 3, offset: 0, limit: 3 },
      ids(people).slice(0, 3),
    ])
  })

  test.for([[{}], [{ 'sortOrder[column]': 'name', 'sortOrder[dir]': 'DESC' }], [{ 'filter[job_title]': 'Even' }]] as [
    Record<string, string>,
  ][])('a walk by links equals the unpaged set: %j', async ([query]) => {
    const whole = ids((await app.api.get(path('company', company.id, 'people'), { as: 'member', query })).body.data)
    const walked: string[] = []
    for (let offset = 0, next: string | null = 'first'; next !== null; offset += 2) {
      const { body }: Json =
        next === 'first'
          ? await app.api.get(path('company', company.id, 'people'), {
              as: 'member',
              query: { ...query, 'page[limit]': '2' },
            })
          : await app.api.get(next, { as: 'member' })
      expect(body.meta.offset).toBe(offset)
      walked.push(...ids(body.data))
      next = body.links.next
    }
    expect(walked).toEqual(whole)
  })

  test('a cursor of another record is refused', async () => {
    const { body } = await app.api.get(path('company', company.id, 'people'), {
      as: 'member',
      query: { 'page[limit]': '2' },
    })
    const other = await records.create('company', {})
    const stolen = body.links.next.replace(company.id, other.id)
    expect((await app.api.get(stolen, { as: 'member' })).body.errors[0].code).toBe('cursor_mismatch')
  })
})

describe('include', () => {
  test('one query a path: itself under relationships, once more in included', async () => {
    const { status, body } = await app.api.get(resourcesPath('person'), {
      as: 'member',
      query: { include: 'company_id', 'page[limit]': '3', 'sortOrder[column]': '_id', 'sortOrder[dir]': 'ASC' },
    })
    expect(status).toBe(200)
    for (const person of body.data)
      expect(person.relationships.company_id.data).toMatchObject({
        type: 'company',
        id: company.id,
        attributes: { name: 'Acme' },
      })
    expect(body.included).toHaveLength(1)
    expect(body.included[0]).toMatchObject({ type: 'company', id: company.id, attributes: { name: 'Acme' } })
    expect(body.links.next).toContain('include=company_id')
  })

  test('by the name of the related object, nested, and counted', async () => {
    const { body } = await app.api.get(`${resourcesPath('company')}/${company.id}`, {
      as: 'member',
      query: { include: 'people.deals,people.company' },
    })
    const { people: related } = body.data.relationships
    expect([related.meta, ids(related.data)]).toEqual([{ count: 7 }, ids(people)])
    expect(related.data[0].relationships.deals.meta).toEqual({ count: 120, truncated: true })
    expect(ids(related.data[0].relationships.deals.data)).toEqual(ids(deals).slice(0, 100))
    expect(related.data[3].relationships.deals).toEqual({ data: [], meta: { count: 0 } })
    expect(related.data[0].relationships.company_id.data.attributes.name).toBe('Acme')
    const rest = await app.api.get(related.data[0].relationships.deals.links.next, { as: 'member' })
    expect(rest.body.meta.total_records).toBe(120)
    const kinds = body.included.map(({ type }: Json) => type)
    expect(kinds.filter((type: string) => type === 'person')).toHaveLength(7)
    expect(kinds.filter((type: string) => type === 'deal')).toHaveLength(100)
    expect(kinds).not.toContain('company')
  })

  test('on related records, its paths begin at the record in the URL', async () => {
    const query = { include: 'people,people.company_id', 'page[limit]': '1', 'fields[company]': 'name' }
    const { body } = await app.api.get(path('company', company.id, 'people'), { as: 'member', query })
    expect(body.data[0].relationships.company_id.data.attributes).toMatchObject({ name: 'Acme' })
    expect(body.data[0].relationships.company_id.data.attributes).not.toHaveProperty('industry')
  })

  test.for([
    ['nothing', 'unknown_field'],
    ['company_id.nothing', 'unknown_field'],
    ['company_id.people.company_id.people', 'invalid_parameter'],
  ] as [string, string][])('%s is refused', async ([include, code]) => {
    const { status, body } = await app.api.get(resourcesPath('person'), { as: 'member', query: { include } })
    expect([status, body.errors[0].code, body.errors[0].source.parameter]).toEqual([400, code, 'include'])
  })

  test.runIf(isFull())('more records than an answer may hold are refused', async () => {
    const many = await records.createMany(
      'person',
      Array.from({ length: 101 }, () => ({})),
    )
    const data = deals.slice(0, 100).map(({ id }) => ({ type: 'deal', id }))
    for (const { id } of many) await app.api.post(path('person', id, 'deals'), { as: 'member', body: { data } })
    const { status, body } = await app.api.get(resourcesPath('person'), {
      as: 'member',
      query: { include: 'deals.people', 'page[limit]': '200' },
    })
    expect([status, body.errors[0].code]).toEqual([400, 'invalid_parameter'])
  })
})

describe('filters along relationships', () => {
  test.for([
    [{ 'filter[people.job_title]': 'Even' }, true],
    [{ 'filter[people.job_title]': 'Neither' }, false],
    [{ 'filter[people.deals.amount][Greater than]': '118' }, true],
    [{ 'filter[people.deals.amount][Greater than]': '119' }, false],
    [{ 'filter[people.deals.people.name][Contains]': 'L5' }, true],
    [{ 'filter[people.job_title][Is not]': 'Even' }, false],
  ] as [Record<string, string>, boolean][])('%j: %s', async ([query, found]) => {
    const { status, body } = await app.api.get(resourcesPath('company'), {
      as: 'member',
      query: { ...query, 'filter[_id]': company.id },
    })
    expect([status, ids(body.data)]).toEqual([200, found ? [company.id] : []])
  })
})
