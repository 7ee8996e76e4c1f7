import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { QueryText } from '../harness/api.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { makePeopleAndDeals } from './people-and-deals.ts'

const app = await startApp()
const records = recordsOf(app)
const { rows, names } = await makePeopleAndDeals(app)

const titles = async (query: QueryText): Promise<Json[]> =>
  (await records.list('person', { 'page[limit]': 100, ...query })).body.data?.map(
    (one: Json) => one.attributes.job_title,
  )

describe('order', () => {
  test('is that of creation, oldest first, where none is asked', async () => {
    expect(await titles({})).toEqual([...Object.keys(rows), null])
    expect(await titles({ 'sortOrder[column]': '_created_at', 'sortOrder[dir]': 'DESC' })).toEqual([
      null,
      ...Object.keys(rows).toReversed(),
    ])
  })

  const sorted: [string, string, string, Json[]][] = [
    [
      'text without case and accents apart, empty last',
      'job_title',
      'ASC',
      ['apple', 'Banana', "O'Brien", 'zoe', 'ZOË', 'Ångström', null],
    ],
    [
      'text the other way, empty last all the same',
      'job_title',
      'DESC',
      ['Ångström', 'ZOË', 'zoe', "O'Brien", 'Banana', 'apple', null],
    ],
  ]
  test.for(sorted)('%s', async ([, column, dir, expected]) => {
    expect(await titles({ 'sortOrder[column]': column, 'sortOrder[dir]': dir })).toEqual(expected)
  })

  test('of numbers and dates', async () => {
    expect(await names({ 'sortOrder[column]': 'amount', 'sortOrder[dir]': 'ASC' })).toEqual([
      'Three',
      'Four',
      'One',
      'Two',
    ])
    expect(await names({ 'sortOrder[column]': 'close_date', 'sortOrder[dir]': 'DESC' })).toEqual([
      'Three',
      'Two',
      'One',
      'Four',
    ])
  })

  test('of several columns, each in its direction', async () => {
    const query = {
      'sortOrder[0][column]': 'stage',
      'sortOrder[0][dir]': 'DESC',
      'sortOrder[1][column]': 'amount',
      'sortOrder[1][dir]': 'ASC',
    }
    expect(await names(query)).toEqual(['Three', 'Two', 'One', 'Four'])
  })

  const wrong: [string, QueryText, string, string][] = [
    ['a column without its direction', { 'sortOrder[column]': 'name' }, 'invalid_parameter', 'sortOrder[dir]'],
    ['a direction without its column', { 'sortOrder[dir]': 'ASC' }, 'invalid_parameter', 'sortOrder[column]'],
    [
      'another direction',
      { 'sortOrder[column]': 'name', 'sortOrder[dir]': 'asc' },
      'invalid_parameter',
      'sortOrder[dir]',
    ],
    ['no column', { 'sortOrder[column]': '', 'sortOrder[dir]': 'ASC' }, 'invalid_parameter', 'sortOrder[column]'],
    [
      'an unknown column',
      { 'sortOrder[column]': 'stag', 'sortOrder[dir]': 'ASC' },
      'unknown_field',
      'sortOrder[column]',
    ],
    [
      'a column to many',
      { 'sortOrder[column]': 'people', 'sortOrder[dir]': 'ASC' },
      'unknown_field',
      'sortOrder[column]',
    ],
    [
      'an unknown second column',
      {
        'sortOrder[0][column]': 'name',
        'sortOrder[0][dir]': 'ASC',
        'sortOrder[1][column]': 'x',
        'sortOrder[1][dir]': 'ASC',
      },
      'unknown_field',
      'sortOrder[1][column]',
    ],
    [
      'both spellings',
      { 'sortOrder[column]': 'name', 'sortOrder[dir]': 'ASC', 'sortOrder[0][column]': 'name' },
      'invalid_parameter',
      'sortOrder[0][column]',
    ],
    ['a gap', { 'sortOrder[1][column]': 'name', 'sortOrder[1][dir]': 'ASC' }, 'invalid_parameter', 'sortOrder[0]'],
  ]
  test.for(wrong)('%s: 400', async ([, query, code, parameter]) => {
    const { status, body } = await records.list('deal', query)
    expect([status, body.errors[0].code]).toEqual([400, code])
    expect(body.errors[0].source.parameter).toBe(parameter)
    if (code === 'unknown_field') expect(body.errors[0].meta.allowed).toContain('stage')
  })
})

describe('pages', () => {
  test('say how many there are, and link to their neighbours', async () => {
    const { body } = await records.list('person', {
      'page[offset]': 2,
      'page[limit]': 2,
      'filter[job_title][Is not empty]': '',
    })
    expect(body.meta).toEqual({ total_records: 6, total_pages: 3, offset: 2, limit: 2 })
    expect(body.included).toEqual([])
    for (const link of [body.links.next, body.links.prev]) {
      expect(link).toMatch(new RegExp(`^${app.baseUrl}/workspaces/acme/objects/person/resources\\?`))
      expect(link).toMatch(/page%5Boffset%5D=\d+&page%5Blimit%5D=2&page%5B(after|before)%5D=/)
      expect(link).toContain('filter%5Bjob_title%5D%5BIs%20not%20empty%5D=')
      expect(link).not.toMatch(/[[\] ]/)
    }
    const next = (await app.api.get(body.links.next)).body
    expect(next.meta).toEqual({ ...body.meta, offset: 4 })
    expect(next.links.next).toBeNull()
    const previous = (await app.api.get(body.links.prev)).body
    expect(previous.meta).toEqual({ ...body.meta, offset: 0 })
    expect(previous.links.prev).toBeNull()
    expect((await app.api.get(next.links.prev)).body).toEqual({ ...body, links: expect.any(Object) })
  })

  test('are 50 by default; 1,000 and more may be asked for', async () => {
    expect((await records.list('person')).body.meta.limit).toBe(50)
    expect((await records.list('person', { 'page[limit]': 5000 })).body.meta).toEqual({
      total_records: 7,
      total_pages: 1,
      offset: 0,
      limit: 5000,
    })
  })

  test('beyond the end are empty', async () => {
    const { status, body } = await records.list('person', { 'page[offset]': 500 })
    expect([status, body.data, body.meta.total_records, body.links.next]).toEqual([200, [], 7, null])
    expect(body.links.prev).not.toBeNull()
  })

  test('of nothing have no pages', async () => {
    const { body } = await records.list('task')
    expect([body.data, body.meta, body.links]).toEqual([
      [],
      { total_records: 0, total_pages: 0, offset: 0, limit: 50 },
      { next: null, prev: null },
    ])
  })

  test('a cursor of another list, a broken one, or two: 400', async () => {
    const cursorOf = async (query: QueryText) =>
      new URL((await records.list('person', { 'page[limit]': 1, ...query })).body.links.next).searchParams.get(
        'page[after]',
      ) as string
    const cursor = await cursorOf({})
    const wrong: [string, QueryText, string][] = [
      ['person', { 'page[after]': cursor, 'filter[job_title]': 'zoe' }, 'cursor_mismatch'],
      [
        'person',
        { 'page[after]': cursor, 'sortOrder[column]': 'job_title', 'sortOrder[dir]': 'ASC' },
        'cursor_mismatch',
      ],
      [
        'person',
        { 'page[after]': cursor, 'sortOrder[column]': '_created_at', 'sortOrder[dir]': 'DESC' },
        'cursor_mismatch',
      ],
      ['company', { 'page[after]': cursor }, 'cursor_mismatch'],
      ['person', { 'page[after]': cursor.slice(2) }, 'cursor_mismatch'],
      ['person', { 'page[after]': Buffer.from('[1,2,3]').toString('base64url') }, 'cursor_mismatch'],
      ['person', { 'page[before]': 'x' }, 'cursor_mismatch'],
      ['person', { 'page[after]': cursor, 'page[before]': cursor }, 'invalid_parameter'],
    ]
    for (const [object, query, code] of wrong) {
      const { status, body } = await records.list(object, query)
      expect([status, body.errors?.[0].code], JSON.stringify(query)).toEqual([400, code])
      expect(body.errors[0].source.parameter).toMatch(/^page\[(after|before)\]$/)
    }
    expect((await records.list('person', { 'page[after]': cursor, 'page[limit]': 100 })).body.data).toHaveLength(6)
  })
})

test('an object that is not there: 404 with the nearest', async () => {
  const { status, body } = await records.list('persons')
  expect([status, body.errors[0].code]).toEqual([404, 'not_found'])
  expect(body.errors[0].detail).toContain('"person"')
})

test('users are records that every member reads', async () => {
  const { body } = await records.list(
    'user',
    { 'sortOrder[column]': 'email', 'sortOrder[dir]': 'ASC' },
    { as: 'viewer' },
  )
  expect(body.data.map((one: Json) => [one.attributes.email, one.attributes.roles.items])).toEqual([
    ['admin@example.com', ['admin']],
    ['member@example.com', ['member']],
    ['viewer@example.com', ['viewer']],
  ])
})
