import { beforeAll, describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { listsOf } from './lists.ts'

const app = await startApp()
const records = recordsOf(app)
const lists = listsOf(app)

const seed: Record<string, Json> = {}
const idOf = (name: string): string => seed[name].id

const make = async (object: string, name: string, attributes: Json) =>
  (seed[name] = await records.create(object, { name, ...attributes }))
const person = async (name: string, attributes: Json) =>
  (seed[name] = await records.create('person', { name: { first_name: name, last_name: 'Test' }, ...attributes }))

beforeAll(async () => {
  await make('company', 'Acme', { industry: 'Rockets', employee_count: 10, labels: { items: ['Key', 'old'] } })
  await make('company', 'Zenith', { employee_count: 500, labels: { items: ['new'] } })
  await make('company', 'Empty', {})
  await person('Ada', { job_title: 'Senator', company_id: idOf('Acme') })
  await person('Bob', { job_title: 'senator', company_id: idOf('Zenith') })
  await person('Cyd', { job_title: '100% Clerk' })
  await person('Dan', {})
  await make('deal', 'Big', {
    stage: 'Won',
    amount: 1000.5,
    close_date: '2026-03-01',
    company_id: idOf('Acme'),
    people: undefined,
  })
  await make('deal', 'Small', { stage: 'Lost', amount: 5, close_date: '2026-01-01', company_id: idOf('Acme') })
  await make('deal', 'Other', { stage: 'Lead', amount: 2000, company_id: idOf('Zenith') })
  const link = (person_: string, deals: string[]) =>
    app.api.post(`/workspaces/acme/objects/person/records/${idOf(person_)}/relationships/deals`, {
      as: 'member',
      body: { data: deals.map((name) => ({ type: 'deal', id: idOf(name) })) },
    })
  await link('Ada', ['Big', 'Small'])
  await link('Bob', ['Other'])
})

/** The names of the records that a list of some SQL has, in its order. */
async function found(object: string, sql: string): Promise<string[]> {
  const { id } = await lists.create(object, { query: { sql } })
  const { ids, total } = await lists.members(object, id)
  expect(total).toBe(ids.length)
  return ids.map((one) => Object.entries(seed).find(([, record]) => record.id === one)?.[0] ?? one)
}

describe('conditions', () => {
  test.for([
    ["SELECT * FROM person WHERE job_title = 'Senator'", ['Ada', 'Bob']],
    ["SELECT * FROM person WHERE job_title <> 'senator'", ['Cyd']],
    ["SELECT * FROM person WHERE NOT job_title = 'senator'", ['Cyd']],
    ['SELECT * FROM person WHERE job_title IS NULL', ['Dan']],
    ['SELECT * FROM person WHERE NOT (job_title IS NULL)', ['Ada', 'Bob', 'Cyd']],
    ["SELECT * FROM person WHERE job_title LIKE 'sen%'", ['Ada', 'Bob']],
    ["SELECT * FROM person WHERE job_title NOT ILIKE '%SENATOR%'", ['Cyd']],
    ["SELECT * FROM person WHERE job_title LIKE '100\\%%'", ['Cyd']],
    ["SELECT * FROM person WHERE UPPER(job_title) = 'SENATOR' AND \"name.first_name\" LIKE '%da'", ['Ada']],
    ["SELECT * FROM person WHERE LOWER(job_title) IN ('senator', 'minister')", ['Ada', 'Bob']],
    ["SELECT * FROM person WHERE job_title NOT IN ('senator')", ['Cyd']],
    [
      "SELECT * FROM person p WHERE p.job_title = 'senator' AND NOT (p.\"name.first_name\" = 'Ada' OR p._id IS NULL)",
      ['Bob'],
    ],
    ["SELECT * FROM person WHERE job_title LIKE 's%t%r'", ['Ada', 'Bob']],
    ["SELECT * FROM person WHERE job_title LIKE 'Sen_tor'", ['Ada', 'Bob']],
    ["SELECT * FROM person WHERE job_title LIKE '______'", []],
    ["SELECT * FROM person WHERE job_title LIKE '_%ENA%_'", ['Ada', 'Bob']],
    ["SELECT * FROM person WHERE job_title NOT LIKE '%e_a%'", ['Cyd']],
    ["SELECT * FROM person WHERE job_title LIKE '%\\%_c%k'", ['Cyd']],
    ["SELECT * FROM person WHERE job_title LIKE '_00\\_%'", []],
    ["SELECT * FROM person WHERE UPPER(job_title) LIKE UPPER('%nat_r%')", ['Ada', 'Bob']],
    ["SELECT * FROM person WHERE name LIKE '%'", ['Ada', 'Bob', 'Cyd', 'Dan']],
    ["SELECT * FROM person -- those who\n WHERE /* all of /* them */ */ job_title = 'senator';", ['Ada', 'Bob']],
  ] as const)('%s', async ([sql, names]) => expect(await found('person', sql)).toEqual(names))

  test.for([
    ['SELECT * FROM deal WHERE amount > 5', ['Big', 'Other']],
    ['SELECT * FROM deal WHERE 5 < amount', ['Big', 'Other']],
    ['SELECT * FROM deal WHERE NOT amount > 5', ['Small']],
    ['SELECT * FROM deal WHERE amount BETWEEN 5 AND 1000.5', ['Big', 'Small']],
    ['SELECT * FROM deal WHERE amount NOT BETWEEN 5 AND 1000', ['Big', 'Other']],
    ['SELECT * FROM deal WHERE amount IN (5, 2000)', ['Small', 'Other']],
    ["SELECT * FROM deal WHERE stage = 'Won' OR stage = 'Lead'", ['Big', 'Other']],
    ["SELECT * FROM deal WHERE stage <> 'Won'", ['Small', 'Other']],
    ["SELECT * FROM deal WHERE UPPER(stage) = 'WON'", ['Big']],
    ["SELECT * FROM deal WHERE LOWER(stage) IN (LOWER('Won'), 'lead')", ['Big', 'Other']],
    ["SELECT * FROM deal WHERE UPPER(stage) <> UPPER('won')", ['Small', 'Other']],
    ["SELECT * FROM deal WHERE UPPER(stage) LIKE '%O%'", ['Big', 'Small']],
    ["SELECT * FROM deal WHERE stage NOT LIKE 'L%'", ['Big']],
    ["SELECT * FROM deal WHERE stage LIKE '_o__'", ['Small']],
    ["SELECT * FROM deal WHERE close_date >= '2026-01-02'", ['Big']],
    ["SELECT * FROM deal WHERE close_date NOT BETWEEN '2026-01-01' AND '2026-02-01'", ['Big']],
    ['SELECT * FROM deal ORDER BY amount DESC', ['Other', 'Big', 'Small']],
    ['SELECT * FROM deal ORDER BY close_date, name DESC', ['Small', 'Big', 'Other']],
    ['SELECT * FROM deal ORDER BY amount DESC LIMIT 2', ['Other', 'Big']],
    ['SELECT name, stage AS "Stage" FROM deal WHERE amount > 0 ORDER BY name LIMIT 1', ['Big']],
  ] as const)('%s', async ([sql, names]) => expect(await found('deal', sql)).toEqual(names))

  test.for([
    ["SELECT * FROM company WHERE (labels->'items') ?| ARRAY['key', 'NEW']", ['Acme', 'Zenith']],
    ["SELECT * FROM company WHERE NOT (labels->'items') ?| ARRAY['key']", ['Zenith']],
    ['SELECT * FROM company WHERE labels IS NULL', ['Empty']],
    ['SELECT * FROM company WHERE industry IS NOT NULL AND employee_count < 100', ['Acme']],
  ] as const)('%s', async ([sql, names]) => expect(await found('company', sql)).toEqual(names))
})

test('UPPER and LOWER of an id find it as it is stored', async () => {
  const id = idOf('Zenith')
  for (const sql of [
    `UPPER(company_id) = '${id.toUpperCase()}'`,
    `LOWER(company_id) = '${id}'`,
    `UPPER(company_id) IN (UPPER('${id}'))`,
  ]) {
    expect(await found('deal', `SELECT * FROM deal WHERE ${sql}`), sql).toEqual(['Other'])
  }
  expect(await found('company', `SELECT * FROM company WHERE LOWER(_id) = '${id.toUpperCase()}'`)).toEqual(['Zenith'])
})

describe('joins', () => {
  test.for([
    [
      'SELECT person.* FROM person JOIN company ON person.company_id = company._id WHERE company.employee_count > 100',
      ['Bob'],
    ],
    [
      'SELECT p.*, "person$company_id"."name" AS "company:__object__" FROM person p LEFT JOIN company AS ' +
        '"person$company_id" ON "person$company_id"._id = p.company_id WHERE "person$company_id".industry IS ' +
        'NULL',
      ['Bob', 'Cyd', 'Dan'],
    ],
    ['SELECT "p$company_id:__object__", p.name FROM person p JOIN company c ON p.company_id = c._id', ['Ada', 'Bob']],
    [
      "SELECT * FROM person p JOIN deal d ON p.deals = d._id WHERE d.stage = 'Lost' AND p.job_title = 'senator'",
      ['Ada'],
    ],
    ["SELECT * FROM person p JOIN deal d ON d.people = p._id WHERE d.stage = 'Won' AND d.amount < 10", []],
    [
      "SELECT * FROM person p JOIN deal d ON p.deals = d._id WHERE (d.stage = 'Won' OR d.amount > 1500) AND " +
        "d.name <> 'Nothing'",
      ['Ada', 'Bob'],
    ],
    ["SELECT * FROM person p JOIN deal d ON p.deals = d._id WHERE NOT d.stage = 'Won'", ['Ada', 'Bob']],
    ['SELECT * FROM person p LEFT JOIN deal d ON p.deals = d._id WHERE d._id IS NULL', ['Cyd', 'Dan']],
    ['SELECT * FROM person p LEFT JOIN deal d ON p.deals = d._id WHERE d.close_date IS NULL', ['Bob', 'Cyd', 'Dan']],
    ["SELECT * FROM person p LEFT JOIN deal d ON p.deals = d._id WHERE d.stage <> 'Won'", ['Ada', 'Bob']],
    ['SELECT * FROM person p LEFT JOIN deal d ON p.deals = d._id', ['Ada', 'Bob', 'Cyd', 'Dan']],
    [
      'SELECT * FROM person p JOIN deal d ON p.deals = d._id JOIN company c ON d.company_id = c._id WHERE ' +
        "c.name = 'zenith'",
      ['Bob'],
    ],
  ] as const)('%s', async ([sql, names]) => expect(await found('person', sql)).toEqual(names))

  test.for([
    ['SELECT * FROM company JOIN deal ON deal.company_id = company._id WHERE deal.amount > 1000', ['Acme', 'Zenith']],
    ['SELECT * FROM company LEFT JOIN deal ON deal.company_id = company._id WHERE deal._id IS NULL', ['Empty']],
  ] as const)('%s', async ([sql, names]) => expect(await found('company', sql)).toEqual(names))
})

describe('a list of SQL', () => {
  test('is filtered, sorted and paged as any other; a limit is a limit', async () => {
    const { id } = await lists.create('deal', { query: { sql: 'SELECT * FROM deal ORDER BY amount DESC LIMIT 2' } })
    const names = async (query: Record<string, string | number>) =>
      (await lists.records('deal', id, query)).body.data.map((one: Json) => one.attributes.name)
    expect(await names({ 'sortOrder[column]': 'name', 'sortOrder[dir]': 'ASC' })).toEqual(['Big', 'Other'])
    expect(await names({ 'filter[name][Is not]': 'Other' })).toEqual(['Big'])
    const first = (await lists.records('deal', id, { 'page[limit]': 1 })).body
    expect([first.data[0].attributes.name, first.meta.total_records]).toEqual(['Other', 2])
    const second = (await app.api.get(first.links.next, { as: 'member' })).body
    expect([second.data[0].attributes.name, second.links.next]).toEqual(['Big', null])
  })

  test('answers with its SQL as it was written', async () => {
    const sql = "SELECT * FROM deal -- all\nWHERE stage='Won'"
    const { id, attributes } = await lists.create('deal', { query: { sql } })
    expect([attributes.query, (await lists.get('deal', id)).body.data.attributes.query]).toEqual([{ sql }, { sql }])
    const refused = await lists.patch('deal', id, {
      data: { type: 'list', attributes: { query: { sql: 'SELECT pg_sleep(1) FROM deal' } } },
    })
    expect([refused.status, refused.body.errors[0]]).toEqual([
      422,
      expect.objectContaining({
        code: 'unsupported_sql',
        source: { pointer: '/data/attributes/query/sql' },
        meta: { token: 'pg_sleep', character: 8 },
      }),
    ])
  })

  test('may be any of those in the guide', async () => {
    const { info } = (await app.api.get('/openapi.json')).body
    const examples = /```sql\n([^`]*)```/.exec(info.description)![1]!.trim().split('\n\n')
    expect(examples.length).toBeGreaterThan(3)
    for (const sql of examples)
      expect(
        (await lists.post(/FROM (\w+)/.exec(sql)![1]!, { title: 'From the guide', type: 'dynamic', query: { sql } }))
          .body.errors?.[0].detail,
        sql,
      ).toBeUndefined()
  })
})
