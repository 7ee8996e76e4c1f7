import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Answer, Json } from '../harness/http.ts'
import type { Caller } from '../harness/people.ts'
import { recordsOf } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app, 'memberKey')
const acme = await records.create('company', { name: 'Acme' })
const globex = await records.create('company', { name: 'Globex' })
await records.createMany('deal', [
  { name: 'One', stage: 'Lead', amount: 0.1, close_date: '2026-01-15', company_id: acme.id },
  { name: 'Two', stage: 'Won', amount: 0.2, close_date: '2026-02-01', company_id: acme.id },
  { name: 'Three', stage: 'Won', amount: -5, close_date: '2026-02-28', company_id: globex.id },
  { name: 'Élan', stage: 'Won', close_date: '2026-03-31' },
])

const query = (sql: string, more: Json = {}, as: Caller = 'memberKey'): Promise<Answer> =>
  app.api.post('/workspaces/acme/sql', { as, body: { sql, ...more } })

async function rows(sql: string, as: Caller = 'memberKey'): Promise<Json[]> {
  const { status, body } = await query(sql, {}, as)
  expect(status, JSON.stringify(body.errors)).toBe(200)
  return body.data
}

async function refusal(sql: string): Promise<Json> {
  const { status, body } = await query(sql)
  expect(status, JSON.stringify(body)).toBe(422)
  expect(body.errors[0].code).toBe('unsupported_sql')
  return body.errors[0]
}

test('selects, filters and orders; texts compare regardless of case, what is empty is last', async () => {
  expect(await rows('SELECT name, amount FROM deal ORDER BY amount DESC')).toEqual([
    ['Two', 0.2],
    ['One', 0.1],
    ['Three', -5],
    ['Élan', null],
  ])
  expect(await rows("SELECT name FROM deal WHERE name = 'TWO' OR name LIKE 'él%' ORDER BY name")).toEqual([
    ['Two'],
    ['Élan'],
  ])
  expect(await rows("SELECT name FROM deal WHERE stage = 'Won' AND NOT amount > 0")).toEqual([['Three']])
  expect(await rows("SELECT name FROM deal WHERE close_date BETWEEN '2026-02-01' AND '2026-02-28' ORDER BY 1")).toEqual(
    [['Three'], ['Two']],
  )
  expect(await rows("SELECT name FROM deal WHERE _created_at < now() - INTERVAL '1 day'")).toEqual([])
  expect(await rows('SELECT name FROM deal ORDER BY name LIMIT 1 OFFSET 1')).toEqual([['Three']])
})

test('groups exactly, by columns, periods and conditions, and measures groups', async () => {
  const byStage = 'SELECT stage, count(*), sum(amount), count(amount) FILTER (WHERE amount > 0) AS won FROM deal'
  expect(await rows(`${byStage} GROUP BY stage ORDER BY stage`)).toEqual([
    ['Lead', 1, 0.1, 1],
    ['Won', 3, -4.8, 1],
  ])
  expect(
    await rows("SELECT date_trunc('month', close_date) AS month, count(*) FROM deal GROUP BY month ORDER BY month"),
  ).toEqual([
    ['2026-01-01', 1],
    ['2026-02-01', 2],
    ['2026-03-01', 1],
  ])
  expect(
    await rows('SELECT amount > 0, count(*) FROM deal GROUP BY amount > 0 HAVING count(*) > 1 OR amount > 0 IS NULL'),
  ).toEqual(
    expect.arrayContaining([
      [true, 2],
      [null, 1],
    ]),
  )
  expect(await rows('SELECT count(*), avg(amount), max(close_date), median(amount) FROM deal WHERE 1 = 2')).toEqual([
    [0, null, null, null],
  ])
  expect(await rows('SELECT DISTINCT stage FROM deal ORDER BY stage')).toEqual([['Lead'], ['Won']])
})

test('joins along relationships, from either end', async () => {
  const sums =
    'SELECT c.name, sum(d.amount) AS total, count(d._id) FROM company c LEFT JOIN deal d ON d.company_id = c._id'
  expect(await rows(`${sums} GROUP BY c.name ORDER BY total DESC`)).toEqual([
    ['Acme', expect.closeTo(0.3, 10), 2],
    ['Globex', -5, 1],
  ])
  const one = 'SELECT deal.name FROM deal JOIN company ON deal.company_id = company._id'
  expect(await rows(`${one} WHERE company.name = 'globex'`)).toEqual([['Three']])
})

test('computes: CASE, COALESCE, arithmetic, dates; nothing divided by zero', async () => {
  const sql = `SELECT CASE WHEN amount IS NULL THEN 'none' WHEN amount < 0 THEN 'loss' ELSE 'gain' END AS what,
    coalesce(amount, 0) * 2 + 1, 1 / (amount - amount), round(amount / 3, 2), extract(quarter from close_date),
    stage || '!', length(name), close_date > CURRENT_DATE - INTERVAL '5 years' FROM deal ORDER BY close_date`
  expect(await rows(sql)).toEqual([
    ['gain', 1.2, null, 0.03, 1, 'Lead!', 3, true],
    ['gain', 1.4, null, 0.07, 1, 'Won!', 3, true],
    ['loss', -9, null, -1.67, 1, 'Won!', 5, true],
    ['none', 1, null, null, 1, 'Won!', 4, true],
  ])
})

test('names columns and their types, says when there are more rows, and explains', async () => {
  const { body } = await query('SELECT *, count(*) AS "a b" FROM company GROUP BY 1', { limit: 1 })
  expect(body.errors[0].code).toBe('unsupported_sql')
  const answer = await query('SELECT name, amount, amount > 1, _created_at, close_date, name FROM deal', {
    limit: 1,
    explain: true,
  })
  expect(answer.body.meta).toEqual({
    columns: [
      { name: 'name', type: 'text' },
      { name: 'amount', type: 'number' },
      { name: 'column', type: 'boolean' },
      { name: '_created_at', type: 'timestamp' },
      { name: 'close_date', type: 'date' },
      { name: 'name_2', type: 'text' },
    ],
    truncated: true,
    plan: expect.arrayContaining([expect.any(String)]),
  })
  expect(answer.body.data[0][3]).toMatch(/^20\d\d-.*Z$/)
})

test('shows nobody more than their records, by joins and references neither', async () => {
  const meeting = await recordsOf(app, 'admin').create('meeting', { title: 'Secret' })
  await recordsOf(app, 'admin').create('task', { title: 'Open to all', meeting_id: meeting.id })
  const joined = 'SELECT task.title, meeting.title FROM task LEFT JOIN meeting ON task.meeting_id = meeting._id'
  expect(await rows(joined, 'admin')).toEqual([['Open to all', 'Secret']])
  expect(await rows(joined, 'member')).toEqual([['Open to all', null]])
  expect(await rows('SELECT count(*) FROM meeting', 'member')).toEqual([[0]])
  expect(await rows('SELECT meeting_id FROM task', 'member')).toEqual([[null]])
  expect(await rows('SELECT count(meeting_id) FROM task', 'admin')).toEqual([[1]])
})

test.each([
  ['SELECT 1', 'FROM'],
  ['SELECT name FROM deal, company', 'JOIN'],
  ['SELECT name FROM deal JOIN company ON deal.name = company.name', 'relationship'],
  ['SELECT nme FROM deal', 'nme'],
  ['SELECT name, count(*) FROM deal', 'GROUP BY'],
  ['SELECT name FROM deal WHERE count(*) > 1', 'aggregate'],
  ['SELECT name FROM deal WHERE amount = name', 'compared'],
  ['SELECT sum(name) FROM deal', 'SUM'],
  ['SELECT pg_sleep(10) FROM deal', 'pg_sleep'],
  ['SELECT name FROM deal WHERE _id IN (SELECT _id FROM deal)', ''],
  ['SELECT name FROM deal UNION SELECT name FROM company', 'UNION'],
  ['DELETE FROM deal', 'SELECT'],
  ["SELECT name FROM deal WHERE stage = 'Nope'", 'Nope'],
  ['SELECT name FROM pg_catalog.pg_user', 'schema'],
])('refuses %s', async (sql, word) => {
  expect((await refusal(sql)).detail).toContain(word)
})

test('a number that is too large is refused, or null where the database computes on', async () => {
  const { status, body } = await query('SELECT amount * 1e300 * 1e300 FROM deal WHERE amount > 0')
  expect(status === 200 ? body.data : body.errors[0].code).toEqual(
    status === 200 ? [[null], [null]] : 'unsupported_sql',
  )
})

test('exports a result as CSV, without formulas', async () => {
  await records.create('company', { name: '=1+1' })
  const { status, body } = await app.api.post('/workspaces/acme/sql/csv', {
    as: 'memberKey',
    body: { sql: "SELECT name, 1.5 AS n FROM company WHERE name LIKE '=%'" },
  })
  expect(status).toBe(200)
  expect(body).toBe("name,n\r\n'=1+1,1.5\r\n")
})
