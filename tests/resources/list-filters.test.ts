import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { QueryText } from '../harness/api.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, resourcesPath } from '../harness/records.ts'
import { makePeopleAndDeals } from './people-and-deals.ts'

const app = await startApp()
const records = recordsOf(app)
const { acme, rows, names } = await makePeopleAndDeals(app)

describe('filters', () => {
  const matching: [string, QueryText, Json[]][] = [
    ['equality, without case', { 'filter[job_title]': 'APPLE' }, ['apple']],
    ['equality after normalisation', { 'filter[job_title]': 'ångström'.normalize('NFD') }, ['Ångström']],
    ['an accent is a letter of its own', { 'filter[job_title]': 'zoë' }, ['ZOË']],
    ['Is', { 'filter[job_title][Is]': 'banana' }, ['Banana']],
    [
      'Is not, which matches empty values too',
      { 'filter[job_title][Is not]': 'banana' },
      ['Ångström', 'apple', "O'Brien", 'ZOË', 'zoe', null],
    ],
    ['Contains', { 'filter[job_title][Contains]': 'AN' }, ['Banana']],
    ['Contains a wildcard, which is none', { 'filter[description][Contains]': '%' }, ['apple']],
    ['Contains an underscore', { 'filter[description][Contains]': '_' }, ['apple']],
    ['Contains quotes', { 'filter[description][Contains]': '"hi"; drop' }, ["O'Brien"]],
    ['a quote', { 'filter[job_title]': "o'brien" }, ["O'Brien"]],
    ['Does not contain', { 'filter[job_title][Does not contain]': 'a' }, ['Ångström', "O'Brien", 'ZOË', 'zoe', null]],
    ['Starts with', { 'filter[job_title][Starts with]': 'Z' }, ['ZOË', 'zoe']],
    ['Ends with', { 'filter[job_title][Ends with]': 'E' }, ['apple', 'zoe']],
    ['Is empty', { 'filter[job_title][Is empty]': '' }, [null]],
    ['Is not empty', { 'filter[labels][Is not empty]': 'true' }, ['Ångström', 'Banana', 'zoe']],
    ['an item of a collection, without case', { 'filter[labels]': 'vip' }, ['Ångström', 'zoe']],
    ['Contains of a collection', { 'filter[labels][Contains]': 'north' }, ['Ångström']],
    [
      'Does not contain of a collection',
      { 'filter[labels][Does not contain]': 'vip' },
      ['apple', 'Banana', "O'Brien", 'ZOË', null],
    ],
    ['a reference', { 'filter[company_id]': acme.id }, ['Ångström']],
    [
      'a reference that is not there',
      { 'filter[company_id][Is empty]': '' },
      ['apple', 'Banana', "O'Brien", 'ZOË', 'zoe', null],
    ],
    ['a user', { 'filter[owner_id]': app.userIds.viewer }, ['Banana']],
    ['a system field', { 'filter[_created_by]': app.userIds.member }, [...Object.keys(rows), null]],
    [
      'a time',
      {
        'filter[_created_at][Is after]': '2020-01-01T00:00:00Z',
        'filter[_updated_at][Is before]': '2020-01-01T00:00:00Z',
      },
      [],
    ],
    ['two fields', { 'filter[labels]': 'vip', 'filter[job_title][Starts with]': 'z' }, ['zoe']],
    [
      'two conditions on one field',
      { 'filter[job_title][Starts with]': 'z', 'filter[job_title][Ends with]': 'e' },
      ['zoe'],
    ],
    ['an alias', { 'filter[job_title][starts_with]': 'ban' }, ['Banana']],
    ['a location', { 'filter[location][Contains]': 'upp' }, ['Ångström']],
  ]
  test.for(matching)('%s', async ([, query, expected]) => {
    const { status, body } = await records.list('person', { 'page[limit]': 100, ...query })
    expect(status, JSON.stringify(body.errors)).toBe(200)
    expect(body.data.map((one: Json) => one.attributes.job_title)).toEqual(expected)
    expect(body.meta.total_records).toBe(expected.length)
  })

  const numeric: [QueryText, string[]][] = [
    [{ 'filter[amount]': 100 }, ['One']],
    [{ 'filter[amount]': '100.0' }, ['One']],
    [{ 'filter[amount][Greater than]': 0 }, ['One', 'Two']],
    [{ 'filter[amount][gte]': 0, 'filter[amount][lt]': 250.5 }, ['One', 'Four']],
    [{ 'filter[amount][Less than or equal]': -5 }, ['Three']],
    [{ 'filter[amount][One of]': '100,0' }, ['One', 'Four']],
    [{ 'filter[amount][Is not]': 100 }, ['Two', 'Three', 'Four']],
    [{ 'filter[stage]': 'Won' }, ['Two', 'Three']],
    [{ 'filter[stage][One of]': 'Won,Lead' }, ['One', 'Two', 'Three']],
    [{ 'filter[stage][Not one of]': 'Won,Lead' }, ['Four']],
    [{ 'filter[stage][Is not]': 'Won' }, ['One', 'Four']],
    [{ 'filter[close_date]': '2026-02-01' }, ['Two']],
    [
      { 'filter[close_date][Is after]': '2026-01-15', 'filter[close_date][Is on or before]': '2026-02-28' },
      ['Two', 'Three'],
    ],
    [{ 'filter[close_date][before]': '2026-02-01' }, ['One']],
    [{ 'filter[close_date][is_null]': '' }, ['Four']],
    [{ 'filter[close_date][is_null]': 'true' }, ['Four']],
    [{ 'filter[close_date][is_null]': 'false' }, ['One', 'Two', 'Three']],
    [{ 'filter[close_date][Is not empty]': 'false' }, ['Four']],
  ]
  test.for(numeric)('%j', async ([query, expected]) => {
    expect(await names(query)).toEqual(expected)
  })

  const wrong: [string, QueryText, string, string][] = [
    ['an unknown field', { 'filter[job_titel]': 'x' }, 'unknown_field', 'filter[job_titel]'],
    ['a field to many', { 'filter[deals]': 'x' }, 'unknown_field', 'filter[deals]'],
    [
      'an unknown operator',
      { 'filter[job_title][Sounds like]': 'x' },
      'unknown_operator',
      'filter[job_title][Sounds like]',
    ],
    [
      'an operator of another type',
      { 'filter[job_title][Greater than]': '1' },
      'unknown_operator',
      'filter[job_title][Greater than]',
    ],
    [
      'a value that says nothing of emptiness',
      { 'filter[job_title][is_null]': 'Senator' },
      'invalid_parameter',
      'filter[job_title][is_null]',
    ],
    ['no time', { 'filter[_created_at][Is after]': 'lately' }, 'invalid_parameter', 'filter[_created_at][Is after]'],
    ['a name of the prototype', { 'filter[__proto__]': 'x' }, 'unknown_parameter', 'filter[__proto__]'],
    [
      'an operator of the prototype',
      { 'filter[job_title][constructor]': 'x' },
      'unknown_parameter',
      'filter[job_title][constructor]',
    ],
    ['three brackets', { 'filter[a][b][c]': 'x' }, 'unknown_parameter', 'filter[a][b][c]'],
    ['no field', { 'filter[]': 'x' }, 'unknown_parameter', 'filter[]'],
  ]
  test.for(wrong)('%s: 400 that says what is allowed', async ([, query, code, parameter]) => {
    const { status, body } = await records.list('person', query)
    expect([status, body.errors[0].code, body.errors[0].source]).toEqual([400, code, { parameter }])
    if (code !== 'invalid_parameter') expect(body.errors[0].meta.allowed.length).toBeGreaterThan(0)
  })

  test('a value that a select does not have: 400 with those that it has', async () => {
    for (const query of [{ 'filter[stage]': 'won' }, { 'filter[stage][One of]': 'Won,Maybe' }] as QueryText[]) {
      const { status, body } = await records.list('deal', query)
      expect([status, body.errors[0].code]).toEqual([400, 'unknown_value'])
      expect(body.errors[0].meta.allowed).toEqual(['Lead', 'Qualified', 'Proposal', 'Negotiation', 'Won', 'Lost'])
    }
    for (const amount of ['many', '', '1e999', 'NaN'])
      expect((await records.list('deal', { 'filter[amount]': amount })).body.errors[0].code, amount).toBe(
        'invalid_parameter',
      )
    for (const period of ['constructor', 'toString', '__proto__', 'last_constructor', '']) {
      const { status, body } = await records.list('deal', { 'filter[close_date][Within]': period })
      expect([status, body.errors[0].code, body.errors[0].meta.allowed[0]], period).toEqual([
        400,
        'unknown_value',
        'yesterday',
      ])
    }
    for (const time of ['2026-02-30', '2026-01-31T25:30', '2026-01-31 09:30:00Z', '20260131', '']) {
      for (const [object, field] of [
        ['deal', '_updated_at'],
        ['meeting', 'start'],
      ] as const)
        expect((await records.list(object, { [`filter[${field}][Is after]`]: time })).body.errors[0].code, time).toBe(
          'invalid_parameter',
        )
    }
    for (const date of ['today', '2026-02-30', ''])
      expect((await records.list('deal', { 'filter[close_date]': date })).body.errors[0].code, date).toBe(
        'invalid_parameter',
      )
  })

  test('spelled raw, encoded, with + and %20', async () => {
    for (const query of [
      'filter[job_title][Starts with]=z',
      'filter%5Bjob_title%5D%5BStarts%20with%5D=z',
      'filter[job_title][Starts+with]=z',
      'filter%5bjob_title%5d[Starts%20with]=%7A',
    ]) {
      const { body } = await app.api.get(`${resourcesPath('person')}?${query.replaceAll(' ', '%20')}`)
      expect(body.data.map((one: Json) => one.attributes.job_title)).toEqual(['ZOË', 'zoe'])
    }
  })

  test('at most 50 conditions', async () => {
    const query = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`filter[f${index}]`, 'x']))
    expect((await records.list('person', query)).body.errors[0]).toMatchObject({
      code: 'invalid_parameter',
      source: { parameter: 'filter' },
    })
  })
})
