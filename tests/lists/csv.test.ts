import { expect, test } from 'vitest'
import { parse } from 'csv-parse/sync'
import { startApp } from '../harness/app.ts'
import type { RequestOptions } from '../harness/api.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { listsOf } from './lists.ts'

const app = await startApp()
const records = recordsOf(app)
const lists = listsOf(app)

const exported = (object: string, list: string, options: RequestOptions = {}) =>
  app.api.post(`${lists.path(object, list)}/rows/csv`, { as: 'member', ...options })

/** The lines of a file by their columns. */
const rowsOf = (text: string): Record<string, string>[] => parse(text, { columns: true, record_delimiter: '\r\n' })

test('a list comes as a file with a line for each record that the caller may see, in its order', async () => {
  const company = await records.create('company', { name: 'Acme, "Inc"' })
  const made = await records.createMany('person', [
    {
      name: { first_name: 'Ada', last_name: 'Lovelace' },
      email_addresses: { items: ['ada@example.com', 'a@example.com'] },
      job_title: 'Countess\nof numbers',
      company_id: company.id,
      location: { city: 'London' },
    },
    { job_title: 'Clerk' },
  ])
  const { id } = await lists.create('person')
  await lists.add(
    'person',
    id,
    made.map((one) => one.id as string),
  )
  const { status, headers, body } = await exported('person', id)
  expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8'])
  const [ada, clerk] = rowsOf(body)
  expect(ada).toMatchObject({
    _id: made[0].id,
    name: 'Ada Lovelace',
    'name.first_name': 'Ada',
    'name.last_name': 'Lovelace',
    email_addresses: 'ada@example.com; a@example.com',
    job_title: 'Countess\nof numbers',
    company_id: company.id,
    location: '{"city":"London"}',
    _created_by: app.userIds.member,
  })
  expect(clerk).toMatchObject({ name: '', 'name.first_name': '', email_addresses: '', job_title: 'Clerk' })
  expect(Object.keys(ada!).slice(-4)).toEqual(['_created_at', '_created_by', '_updated_at', '_updated_by'])
})

test('is filtered, sorted and narrowed to some fields as the list is', async () => {
  const { id } = await lists.create('deal', {
    query: { sql: "SELECT * FROM deal WHERE name LIKE 'csv%' ORDER BY amount DESC" },
  })
  await records.createMany('deal', [
    { name: 'csv a', amount: -1.5 },
    { name: 'csv b', amount: 10 },
    { name: 'csv c', amount: 3 },
  ])
  const names = async (query: Record<string, string>) =>
    rowsOf((await exported('deal', id, { query })).body).map(({ name }) => name)
  expect(await names({})).toEqual(['csv b', 'csv c', 'csv a'])
  expect(await names({ 'filter[amount]': '>0', 'sortOrder[column]': 'name', 'sortOrder[dir]': 'DESC' })).toEqual([
    'csv c',
    'csv b',
  ])
  expect(
    (await exported('deal', id, { query: { 'fields[deal]': 'amount', 'filter[amount]': '<0' } })).body
      .split('\r\n')
      .map((line: string) => line.split(',')[1]),
  ).toEqual(['amount', '-1.5', undefined])
  expect((await exported('deal', id, { query: { 'fields[deal]': 'amuont' } })).status).toBe(400)
  const { id: hidden } = await lists.create('deal', {}, { as: 'admin' })
  expect((await exported('deal', hidden)).status).toBe(404)
})

test('a body narrows, orders and widens what is exported, each part of it', async () => {
  const company = await records.create('company', { name: 'Export Co', industry: 'Mills' })
  const [won, lost] = await records.createMany('deal', [
    { name: 'exp won', stage: 'Won', amount: 5, company_id: company.id },
    { name: 'exp lost', stage: 'Lost', amount: 7 },
  ])
  const { id } = await lists.create('deal', { query: { sql: "SELECT * FROM deal WHERE name LIKE 'exp%'" } })
  const names = async (body: Json, list = id) =>
    rowsOf((await exported('deal', list, { body })).body).map(({ name }) => name)
  expect(await names({})).toEqual(['exp won', 'exp lost'])
  expect(await names({ filter: { field: 'stage', op: 'Is', value: 'Won' } })).toEqual(['exp won'])
  expect(await names({ search: 'lost' })).toEqual(['exp lost'])
  expect(await names({ sort: [{ column: 'amount', dir: 'DESC' }] })).toEqual(['exp lost', 'exp won'])
  expect(await names({ sort: { column: 'name', dir: 'ASC' } })).toEqual(['exp lost', 'exp won'])
  // SQL that is being edited comes in the place of what is stored.
  expect(await names({ sql: "SELECT * FROM deal WHERE name LIKE 'exp%' AND amount > 6" })).toEqual(['exp lost'])
  expect(
    await names({ sql: "SELECT * FROM deal WHERE amount IN (5, 7) AND name LIKE '%w_n' LIMIT 1", search: 'exp' }),
  ).toEqual(['exp won'])
  const { id: fixed } = await lists.create('deal')
  await lists.add('deal', fixed, [won.id])
  expect(await names({ sql: "SELECT * FROM deal WHERE name LIKE 'exp%'" }, fixed)).toEqual(['exp won'])
  expect(await names({ sql: "SELECT * FROM deal WHERE name LIKE 'exp l%'" }, fixed)).toEqual([])
  const both = { query: { 'filter[stage]': 'Won' }, body: { filter: { field: 'amount', op: 'gt', value: 6 } } }
  expect(rowsOf((await exported('deal', id, both)).body)).toEqual([])
  const { body: narrow } = await exported('deal', id, { body: { fields: ['name'], include: ['company_id'] } })
  expect(rowsOf(narrow)[0]).toMatchObject({
    name: 'exp won',
    'company_id._id': company.id,
    'company_id.name': 'Export Co',
    'company_id.industry': 'Mills',
  })
  expect(Object.keys(rowsOf(narrow)[0]!)).not.toContain('stage')
  expect(rowsOf(narrow)[1]).toMatchObject({ 'company_id._id': '', 'company_id.name': '' })
  const { body: wide } = await exported('deal', id, {
    body: { fields: { deal: ['name'], company: ['name'], task: ['title'] }, include: ['company_id', 'tasks'] },
  })
  expect(Object.keys(rowsOf(wide)[0]!)).toEqual([
    '_id',
    'name',
    '_created_at',
    '_created_by',
    '_updated_at',
    '_updated_by',
    'company_id._id',
    'company_id.name',
    'tasks._count',
    'tasks._id',
    'tasks.title',
  ])
  expect(lost.id).not.toBe(won.id)
})

test('several related records stand beside each other, with how many they are', async () => {
  const company = await records.create('company', { name: 'Many Co' })
  const made = await records.createMany(
    'person',
    Array.from({ length: 130 }, (_, index) => ({ job_title: `Clerk ${index}`, company_id: company.id })),
  )
  const { id } = await lists.create('company')
  await lists.add('company', id, [company.id])
  const [row] = rowsOf(
    (await exported('company', id, { body: { include: ['people'], fields: { person: ['job_title'] } } })).body,
  )
  expect(row!['people._count']).toBe('130')
  expect(row!['people._id']!.split('; ')).toEqual(
    made
      .map((one) => one.id as string)
      .toSorted()
      .slice(0, 100),
  )
  expect(row!['people.job_title']).toMatch(/^Clerk \d+; Clerk /)
})

test('an item, or the value of a related record, that holds the separator stands in quotes', async () => {
  const company = await records.create('company', { name: 'Quoted Co' })
  await records.create('person', { job_title: 'a; b', company_id: company.id })
  const labels = { items: ['x;y', '"z"', 'plain'] }
  const person = await records.create('person', { job_title: 'Chief "c"', labels, company_id: company.id })
  const { id } = await lists.create('company')
  await lists.add('company', id, [company.id])
  const body = { include: ['people'], fields: { person: ['job_title', 'labels'] } }
  const cell = '"x;y"; LLLzLLL; plain'.replaceAll('L', '"')
  expect(rowsOf((await exported('company', id, { body })).body)).toMatchObject([
    { 'people.job_title': '"a; b"; Chief "c"', 'people.labels': `; "${cell.replaceAll('"', '""')}"` },
  ])
  const { id: people } = await lists.create('person')
  await lists.add('person', people, [person.id])
  expect(rowsOf((await exported('person', people)).body)).toMatchObject([{ labels: cell }])
})

test('what an export cannot honour is refused by its name', async () => {
  const { id } = await lists.create('deal', { query: { sql: 'SELECT * FROM deal' } })
  const { id: fixed } = await lists.create('deal')
  const refused = async (body: Json, query: Record<string, string> = {}, list = id) => {
    const answer = await exported('deal', list, { body, query })
    return [answer.status, answer.body.errors?.[0].code, answer.body.errors?.[0].source?.pointer]
  }
  expect(await refused({ columns: ['name'] })).toEqual([422, 'invalid_body', '/columns'])
  expect(await refused({ sql: 'SELECT pg_sleep(1) FROM deal' })).toEqual([422, 'unsupported_sql', '/sql'])
  expect(await refused({ sql: 'SELECT * FROM person' })).toEqual([422, 'unsupported_sql', '/sql'])
  expect(await refused({ sql: 'SELECT * FROM deal LIMIT 3' }, {}, fixed)).toEqual([422, 'unsupported_sql', '/sql'])
  expect(await refused({ filter: { field: 'nothing', op: 'Is', value: 1 } })).toEqual([400, 'unknown_field', '/filter'])
  expect(await refused({ sort: [{ column: 'nothing', dir: 'ASC' }] })).toEqual([400, 'unknown_field', '/sort/0/column'])
  expect(await refused({ fields: { deal: ['nothing'] } })).toEqual([400, 'unknown_field', '/fields/deal'])
  expect(await refused({ include: ['nothing'] })).toEqual([400, 'unknown_field', '/include/0'])
  expect(await refused({ search: 'a' }, { search: 'b' })).toEqual([422, 'invalid_body', '/search'])
})

test('no text is a formula', async () => {
  const formulas = ['=HYPERLINK("http://x")', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1', '=']
  const made = await records.createMany(
    'task',
    formulas.map((title) => ({ title })),
  )
  const { id } = await lists.create('task')
  await lists.add(
    'task',
    id,
    made.map((one) => one.id as string),
  )
  for (const { title } of rowsOf((await exported('task', id)).body)) expect(title).toMatch(/^'/)
})

test('over other surfaces it is a text, as long as it is short', async () => {
  const made = await records.createMany(
    'company',
    Array.from({ length: 1001 }, (_, index) => ({ name: `Company ${index}` })),
  )
  const ids = made.map((one) => one.id as string)
  const { id } = await lists.create('company')
  await lists.add('company', id, ids.slice(1))
  const call = () =>
    app.api.post(`${app.origin}/actions/lists.exportRows`, {
      as: 'member',
      body: { workspace: 'acme', object: 'company', list: id },
    })
  expect((await call()).body).toBe((await exported('company', id)).body)
  await lists.add('company', id, ids.slice(0, 1))
  expect((await call()).status).toBe(400)
  expect(rowsOf((await exported('company', id)).body)).toHaveLength(1001)
})
