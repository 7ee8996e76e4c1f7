import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { parse } from 'csv-parse/sync'
import { startApp } from '../harness/app.ts'
import type { RequestOptions } from '../harness/api.ts'
import { peakMemory } from '../harness/memory.ts'
import { openAnswer } from '../harness/open-answer.ts'
import { recordsOf } from '../harness/records.ts'
import { startServer } from '../harness/server-process.ts'
import { listsOf } from './lists.ts'

const app = await startApp()
const records = recordsOf(app)
const lists = listsOf(app)

const exported = (object: string, list: string, options: RequestOptions = {}) => app.api.post(`${lists.path(object, list)}/rows/csv`, { as: 'member', ...options })

/** The lines of a file by their columns. */
const rowsOf = (text: string): Record<string, string>[] => parse(text, { columns: true, record_delimiter: '\r\n' })

test('a list comes as a file with a line for each record that the caller may see, in the order of the list', async () => {
  const company = await records.create('company', { name: 'Acme, "Inc"' })
  const made = await records.createMany('person', [
    { name: { first_name: 'Ada', last_name: 'Lovelace' }, email_addresses: { items: ['ada@example.com', 'a@example.com'] }, job_title: 'Countess\nof numbers', company_id: company.id, location: { city: 'London' } },
    { job_title: 'Clerk' },
  ])
  const { id } = await lists.create('person')
  await lists.add('person', id, made.map((one) => one.id as string))
  const { status, headers, body } = await exported('person', id)
  expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8'])
  const [ada, clerk] = rowsOf(body)
  expect(ada).toMatchObject({
    '_id': made[0].id, 'name': 'Ada Lovelace', 'name.first_name': 'Ada', 'name.last_name': 'Lovelace', 'email_addresses': 'ada@example.com; a@example.com',
    'job_title': 'Countess\nof numbers', 'company_id': company.id, 'location': '{"city":"London"}', '_created_by': app.userIds.member,
  })
  expect(clerk).toMatchObject({ 'name': '', 'name.first_name': '', 'email_addresses': '', 'job_title': 'Clerk' })
  expect(Object.keys(ada!).slice(-4)).toEqual(['_created_at', '_created_by', '_updated_at', '_updated_by'])
})

test('is filtered, sorted and narrowed to some fields as the list is', async () => {
  const { id } = await lists.create('deal', { query: { sql: "SELECT * FROM deal WHERE name LIKE 'csv%' ORDER BY amount DESC" } })
  await records.createMany('deal', [{ name: 'csv a', amount: -1.5 }, { name: 'csv b', amount: 10 }, { name: 'csv c', amount: 3 }])
  const names = async (query: Record<string, string>) => rowsOf((await exported('deal', id, { query })).body).map(({ name }) => name)
  expect(await names({})).toEqual(['csv b', 'csv c', 'csv a'])
  expect(await names({ 'filter[amount]': '>0', 'sortOrder[column]': 'name', 'sortOrder[dir]': 'DESC' })).toEqual(['csv c', 'csv b'])
  expect((await exported('deal', id, { query: { 'fields[deal]': 'amount', 'filter[amount]': '<0' } })).body.split('\r\n').map((line: string) => line.split(',')[1])).toEqual(['amount', '-1.5', undefined])
  expect((await exported('deal', id, { query: { 'fields[deal]': 'amuont' } })).status).toBe(400)
  const { id: hidden } = await lists.create('deal', {}, { as: 'admin' })
  expect((await exported('deal', hidden)).status).toBe(404)
})

test('no text is a formula', async () => {
  const formulas = ['=HYPERLINK("http://x")', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1', '=']
  const made = await records.createMany('task', formulas.map((title) => ({ title })))
  const { id } = await lists.create('task')
  await lists.add('task', id, made.map((one) => one.id as string))
  for (const { title } of rowsOf((await exported('task', id)).body)) expect(title).toMatch(/^'/)
})

test('over other surfaces it is a text, as long as it is short', async () => {
  const made = await records.createMany('company', Array.from({ length: 1001 }, (_, index) => ({ name: `Company ${index}` })))
  const ids = made.map((one) => one.id as string)
  const { id } = await lists.create('company')
  await lists.add('company', id, ids.slice(1))
  const call = () => app.api.post(`${app.origin}/actions/lists.exportRows`, { as: 'member', body: { workspace: 'acme', object: 'company', list: id } })
  expect((await call()).body).toBe((await exported('company', id)).body)
  await lists.add('company', id, ids.slice(0, 1))
  expect((await call()).status).toBe(400)
  expect(rowsOf((await exported('company', id)).body)).toHaveLength(1001)
})

const many = 50_000
const atOnce = 10_000

/** What collecting garbage later or sooner makes of a difference. */
const marginMiB = 150

test.skipIf(process.platform !== 'linux')('a file of 50,000 records takes no more memory than one of a hundred', { timeout: 240_000 }, async () => {
  const { id: all } = await lists.create('company')
  const { id: few } = await lists.create('company')
  const { id: some } = await lists.create('company')
  for (let start = 0; start < many; start += atOnce) {
    const made = await recordsOf(app, 'memberKey').createMany('company', Array.from({ length: atOnce }, (_, index) => ({ name: `Company ${start + index}` })))
    const ids = made.map((one) => one.id as string)
    await lists.add('company', all, ids)
    if (start > 0) continue
    await lists.add('company', few, ids.slice(0, 100))
    await lists.add('company', some, ids.slice(0, 5000))
  }
  const { baseUrl, pid } = await startServer(app.databaseUrl)
  const server = { baseUrl, credentials: app.credentials }
  const ask = async (list: string): Promise<number> => {
    let lines = 0
    for await (const chunk of await openAnswer(server, `${lists.path('company', list)}/rows/csv`, { method: 'POST' })) for (const byte of chunk as Buffer) if (byte === 10) lines++
    return lines
  }
  // Whatever is made once is made now.
  await ask(some)
  await ask(some)
  const small = await peakMemory(pid, async () => expect(await ask(few)).toBe(101))
  const large = await peakMemory(pid, async () => expect(await ask(all)).toBe(many + 1))
  expect(large - small).toBeLessThan(marginMiB)
  const stalled = await peakMemory(pid, async () => {
    const answer = await openAnswer(server, `${lists.path('company', all)}/rows/csv`, { method: 'POST' })
    await sleep(2000)
    answer.destroy()
  })
  expect(stalled - small).toBeLessThan(marginMiB)
})
