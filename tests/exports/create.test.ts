import { expect, test } from 'vitest'
import { parse } from 'csv-parse/sync'
import { parquetReadObjects } from 'hyparquet'
import { createKey } from '../harness/people.ts'
import { startApp } from '../harness/app.ts'
import { entriesOf, exportsOf } from '../harness/exports.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { schemasOf } from '../harness/schemas.ts'
import { listsOf } from '../lists/lists.ts'

const app = await startApp()
const own = exportsOf(app, 'member')
const records = recordsOf(app)

const object = await schemasOf(app).make({
  code: { xSvcType: 'text', xSvcPrimary: true },
  amount: { xSvcType: 'number' },
  done: { xSvcType: 'checkbox' },
  due: { xSvcType: 'date' },
  at: { xSvcType: 'timestamp' },
  tags: { xSvcType: 'labels' },
})
const rows = [
  {
    code: '=1+1',
    amount: -1.5,
    done: true,
    due: '2026-01-31',
    at: '2026-01-31T10:00:00.000Z',
    tags: { items: ['a', 'b;c'] },
  },
  { code: 'two\nlines & <tags>', amount: 2, done: false, due: '0001-01-01', at: null, tags: null },
]
const made = await records.createMany(object, rows)
const [first] = made

/** Exports, and returns the bytes of the file. */
async function exported(body: Json, by = own): Promise<Buffer> {
  const { status, body: answer } = await by.create(body)
  expect([status, answer.errors]).toEqual([202, undefined])
  const { state, error } = await by.ended(answer.data.id)
  expect([state, error]).toEqual(['completed', null])
  return by.download(answer.data.id)
}

test('CSV has a column for each field, and no formula', async () => {
  const text = (await exported({ kind: 'records', object })).toString()
  const cells = parse<Json>(text, { columns: true })
  expect(cells.map(({ code, amount, tags }) => [code, amount, tags])).toEqual([
    ["'=1+1", '-1.5', 'a; "b;c"'],
    ['two\nlines & <tags>', '2', ''],
  ])
})

test('NDJSON has the attributes that a list returns', async () => {
  const text = (await exported({ kind: 'records', object, format: 'ndjson' })).toString()
  const lines = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  const listed = (await records.list(object, { 'sortOrder[column]': '_created_at', 'sortOrder[dir]': 'ASC' })).body.data
  expect(lines.toSorted(byCode)).toEqual(listed.map(({ attributes }: Json) => attributes).toSorted(byCode))
})

const byCode = (one: Json, other: Json): number => (one.code < other.code ? -1 : 1)

test('a workbook has numbers, booleans and dates as such, and texts that are never formulas', async () => {
  const entries = await entriesOf(
    await exported({ kind: 'records', object, format: 'xlsx', sort: { column: 'code', dir: 'ASC' } }),
  )
  const sheet = entries['xl/worksheets/sheet1.xml']!
  expect(sheet).not.toMatch(/<f>/)
  for (const cell of [
    '<c t="inlineStr"><is><t xml:space="preserve">=1+1</t></is></c><c><v>-1.5</v></c>',
    '<c t="b"><v>1</v></c><c s="1"><v>46053</v></c>',
    '<c s="2"><v>46053.416666666664</v></c>',
    '<t xml:space="preserve">two\nlines &amp; &lt;tags&gt;</t>',
    '<t xml:space="preserve">0001-01-01</t>',
  ])
    expect(sheet).toContain(cell)
  expect(entries['xl/workbook.xml']).toContain('<sheet name="Export 1" sheetId="1" r:id="rId1"/>')
})

test('Parquet has columns with types', async () => {
  const bytes = await exported({ kind: 'records', object, format: 'parquet', sort: { column: 'code', dir: 'ASC' } })
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
  const found = await parquetReadObjects({ file })
  expect(found.map(({ code, amount, done, due, at }) => ({ code, amount, done, due, at }))).toEqual([
    { code: '=1+1', amount: -1.5, done: true, due: '2026-01-31', at: new Date('2026-01-31T10:00:00Z') },
    { code: 'two\nlines & <tags>', amount: 2, done: false, due: '0001-01-01', at: null },
  ])
})

test('a filter, fields, a list and a SELECT choose what is exported', async () => {
  const filter = { field: 'amount', op: 'Greater than', value: 0 }
  const filtered = { kind: 'records', object, format: 'ndjson', filter, fields: ['code'] }
  expect(JSON.parse((await exported(filtered)).toString())).toMatchObject({ code: 'two\nlines & <tags>' })
  const list = await listsOf(app).create(object, { title: 'Some' })
  await listsOf(app).add(object, list.id, [first!.id])
  const ofList = { kind: 'list', object, list: list.id, format: 'ndjson' }
  expect(JSON.parse((await exported(ofList)).toString())).toMatchObject({ _id: first!.id })
  const sql = `SELECT count(*) AS things, sum(amount) AS amount FROM ${object}`
  expect((await exported({ kind: 'sql', sql })).toString()).toBe('things,amount\r\n2,0.5\r\n')
})

test('an export has only what its creator may read: records, and what others say of them', async () => {
  const secret = await recordsOf(app, 'admin').create('meeting', { title: 'Secret' })
  await records.create('meeting', { title: 'Own' })
  await records.create('task', { title: 'Prepare', meeting_id: secret.id }, { as: 'admin' })
  const read = async (query: Json, by: typeof own) =>
    parse<Json>((await exported({ kind: 'records', ...query }, by)).toString(), { columns: true })
  const titles = async (by: typeof own) =>
    (await read({ object: 'meeting', fields: ['title'], sort: { column: 'title', dir: 'ASC' } }, by)).map(
      ({ title }) => title,
    )
  expect([await titles(own), await titles(exportsOf(app))]).toEqual([['Own'], ['Own', 'Secret']])
  const prepared = { object: 'task', include: ['meeting_id'], search: 'Prepare' }
  expect(await read(prepared, exportsOf(app))).toMatchObject([{ 'meeting_id._id': secret.id }])
  expect(await read(prepared, own)).toMatchObject([{ title: 'Prepare', 'meeting_id._id': '' }])
  const select = { kind: 'sql', sql: "SELECT title FROM meeting WHERE title IN ('Own', 'Secret')" }
  expect((await exported(select)).toString()).toBe('title\r\nOwn\r\n')
})

/** The refusal of a request: status, place and code. */
const refusal = async (body: Json) => {
  const { status, body: answer } = await own.create(body)
  return [status, answer.errors[0].source?.pointer, answer.errors[0].code]
}

test('a request that is wrong is refused before it starts', async () => {
  expect(await refusal({ kind: 'records' })).toEqual([422, '/object', 'invalid_body'])
  expect(await refusal({ kind: 'sql', sql: 'DELETE FROM person' })).toEqual([422, '/sql', 'unsupported_sql'])
  expect(await refusal({ kind: 'sql', sql: 'SELECT name FROM person', object })).toEqual([
    422,
    '/object',
    'invalid_body',
  ])
  expect(await refusal({ kind: 'workspace', format: 'csv' })).toEqual([422, '/format', 'invalid_body'])
  const unknown = { kind: 'records', object, fields: ['nothing'] }
  expect(await refusal(unknown)).toEqual([400, `/fields/${object}`, 'unknown_field'])
})

test('only admins export a workspace, with a credential without scopes', async () => {
  expect((await own.create({ kind: 'workspace' })).status).toBe(403)
  const { key } = await createKey(app.api.post, 'admin', { scopes: ['records:read'] })
  const narrowed = exportsOf(app, { authorization: `api-key ${key}` })
  expect((await narrowed.create({ kind: 'workspace' })).body.errors[0].detail).toMatch(/credential without scopes/)
})
