import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { QueryText } from '../harness/api.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, resourcesPath } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)
const people = ['Ada Lovelace', 'Grace Hopper', 'Gráinne Hoppenstedt', 'Alan Turing', 'Grasshopper Green']
await records.createMany(
  'person',
  people.map((name, index) => ({
    name: { full_name: name },
    job_title: `Number ${index}`,
    email_addresses: { items: [`p${index}@example.com`] },
  })),
)

const list = async (query: QueryText) => (await records.list('person', query)).body
const names = ({ data }: Json): string[] => data.map(({ attributes }: Json) => attributes.name.full_name)

test('a list of what a search finds keeps its order, filter, fields and total', async () => {
  expect(names(await list({ search: 'gra hopp' }))).toEqual([
    'Grace Hopper',
    'Gráinne Hoppenstedt',
    'Grasshopper Green',
  ])
  expect(names(await list({ search: 'gra hopp', 'sortOrder[column]': 'name', 'sortOrder[dir]': 'DESC' }))).toEqual([
    'Gráinne Hoppenstedt',
    'Grasshopper Green',
    'Grace Hopper',
  ])
  expect(names(await list({ search: 'gra hopp', 'filter[job_title][Ends with]': '2' }))).toEqual([
    'Gráinne Hoppenstedt',
  ])
  const { data, meta } = await list({ search: 'turing', 'fields[person]': 'job_title' })
  expect([Object.keys(data[0].attributes).filter((name) => !name.startsWith('_')), meta.total_records]).toEqual([
    ['job_title'],
    1,
  ])
})

test('links carry the search, and a cursor fits no other', async () => {
  const first = await list({ search: 'example', 'page[limit]': 2 })
  const found = names(first)
  for (let next = first.links.next; next !== null;) {
    expect(next).toContain('search=example')
    const page = (await app.api.get(next, { as: 'member' })).body
    found.push(...names(page))
    next = page.links.next
  }
  expect(found).toEqual(people)
  const after = new URL(first.links.next).searchParams.get('page[after]')!
  for (const query of [{}, { search: 'other' }])
    expect((await list({ ...query, 'page[after]': after })).errors[0].code).toBe('cursor_mismatch')
})

test('a body may search, too', async () => {
  const body = {
    search: 'hop',
    filter: { not: { field: 'job_title', op: 'Is', value: 'Number 1' } },
    page: { limit: 1 },
  }
  const first = (await app.api.post(`${resourcesPath('person')}/query`, { as: 'member', body })).body
  expect([names(first), first.meta.total_records]).toEqual([['Gráinne Hoppenstedt'], 2])
  expect(names((await app.api.post(first.links.next, { as: 'member', body })).body)).toEqual(['Grasshopper Green'])
})

test('one or two letters are looked for where words begin', async () => {
  expect(names(await list({ search: 'g' }))).toEqual(['Grace Hopper', 'Gráinne Hoppenstedt', 'Grasshopper Green'])
  expect(names(await list({ search: 'gr gr' }))).toEqual(['Grace Hopper', 'Gráinne Hoppenstedt', 'Grasshopper Green'])
  expect(names(await list({ search: 'ho' }))).toEqual(['Grace Hopper', 'Gráinne Hoppenstedt'])
  expect(names(await list({ search: 'hop' }))).toEqual(['Grace Hopper', 'Gráinne Hoppenstedt', 'Grasshopper Green'])
})

test('how a search is read is explained', async () => {
  const { meta } = (await records.list('person', { search: 'turing', explain: true }, { as: 'admin' })).body
  expect(meta.explain.plan[0]).toBe('Finds records by the words that are searched for, and sorts them by _created_at.')
})

test('what has nothing to search for is refused', async () => {
  for (const search of ['', ' - ', '%', 'x'.repeat(201)]) {
    const { status, body } = await records.list('person', { search })
    expect([status, body.errors[0].code, body.errors[0].source], search).toEqual([
      400,
      'invalid_parameter',
      { parameter: 'search' },
    ])
    const asked = await app.api.post(`${resourcesPath('person')}/query`, { as: 'member', body: { search } })
    expect([asked.status, asked.body.errors[0].source], search).toEqual([422, { pointer: '/search' }])
  }
})
