import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { rowsOf } from '../harness/mcp.ts'
import { recordsOf, recordsPath, resourcesPath } from '../harness/records.ts'

const app = await startApp()
const own = recordsOf(app, 'admin')
const headers = { Accept: 'text/markdown' }

test('reads over REST are answered in Markdown to those who ask for it, with names beside ids', async () => {
  const company = await own.create('company', { name: 'Mills | Sons' })
  const deal = await own.create('deal', { name: 'First', amount: 5, company_id: company.id })
  const listed = await app.api.get(resourcesPath('deal'), { headers, query: { include: 'company_id' } })
  expect(listed.headers['content-type']).toBe('text/markdown; charset=utf-8')
  expect(listed.body).toContain('1 in all.')
  expect(rowsOf(listed.body)).toEqual([
    { id: deal.id, name: 'First', amount: '5', company_id: `Mills | Sons (${company.id})` },
  ])
  const one = await app.api.get(`${recordsPath('deal')}/${deal.id}`, { headers, query: { include: 'company_id' } })
  expect(one.body).toContain(`# First\n\n- id: ${deal.id}\n`)
  expect(one.body).toContain(`- company_id: Mills | Sons (${company.id})`)
})

test('questions by POST are answered in Markdown too, and pages lead to the next', async () => {
  await own.createMany('task', [
    { title: 'One', status: 'Done' },
    { title: 'Two', status: 'Done' },
  ])
  const body = { group_by: [{ field: 'status' }] }
  const sums = await app.api.post(`${resourcesPath('task')}/aggregate`, { headers, body })
  expect(rowsOf(sums.body)).toEqual([{ status: 'Done', count: '2' }])
  const page = await app.api.get(resourcesPath('task'), { headers, query: { 'page[limit]': 1 } })
  const [, next = ''] = /Next page: (\S+)/.exec(page.body) ?? []
  expect(rowsOf((await app.api.get(next, { headers })).body)).toEqual([expect.objectContaining({ title: 'Two' })])
})

test('changes and errors stay JSON', async () => {
  const made = await own.post('task', { title: 'Three' }, {}, { headers })
  expect(made.body.data.attributes.title).toBe('Three')
  const { status, body } = await app.api.get(resourcesPath('nothing'), { headers })
  expect([status, body.errors[0].code]).toEqual([404, 'not_found'])
})
