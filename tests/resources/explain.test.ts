import { expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, resourcesPath } from '../harness/records.ts'

const app = await startApp({ fieldIndexThreshold: 0 })
const records = recordsOf(app)
await records.createMany('company', [
  { name: 'One', industry: 'Tech', employee_count: 5 },
  { name: 'Two', industry: 'Energy', employee_count: 7 },
])

const explain = async (query: Record<string, string>): Promise<Json> =>
  (await records.list('company', { ...query, explain: true }, { as: 'admin' })).body.meta.explain

test('a list is explained beside its answer: in words, by its indexes, and by its queries', async () => {
  const { status, body } = await records.list('company', { 'filter[name]': 'one', explain: true }, { as: 'admin' })
  expect([status, body.data.length, body.meta.total_records]).toEqual([200, 1, 1])
  expect(body.meta.explain).toMatchObject({
    plan: [
      'Finds the records by the index of name, which has them by _created_at.',
      'The total is the number of records found.',
    ],
    indexes: [{ object: 'company', field: 'name', kind: 'text', state: 'ready' }],
  })
  const { statements } = body.meta.explain
  expect(statements.length).toBeGreaterThan(2)
  const page = statements.at(-1)
  expect(page.sql).not.toContain('one')
  expect(page.steps.join('\n')).toMatch(
    inject('database') === 'postgres' ? /Index (Only )?Scan/ : /SEARCH r USING INDEX/,
  )
  for (const link of Object.values(body.links)) expect(String(link)).not.toContain('explain')
})

test('a query in a body is explained too', async () => {
  const { body } = await app.api.post(`${resourcesPath('company')}/query`, {
    query: { explain: true },
    body: { filter: { not: { field: 'name', op: 'Is', value: 'one' } } },
  })
  expect(body.data).toHaveLength(1)
  expect(body.meta.explain.plan).toEqual([
    'Reads the company records by _created_at, and checks the filter on each.',
    'The total is counted only in the index of name.',
  ])
})

test('it tells which indexes a list waits for', async () => {
  const query = { 'filter[industry]': 'Tech', 'sortOrder[column]': 'employee_count', 'sortOrder[dir]': 'ASC' }
  const fields = async () => (await explain(query)).indexes.map(({ field, state }: Json) => `${field} ${state}`)
  expect(await fields()).toEqual(['employee_count absent', 'industry absent'])
  expect(await fields()).toEqual(['employee_count building', 'industry building'])
  await app.startJobs()
  await app.indexes.ready()
  expect(await fields()).toEqual(['employee_count ready', 'industry ready'])
  expect((await explain({ 'sortOrder[column]': 'employee_count', 'sortOrder[dir]': 'ASC' })).plan[0]).toBe(
    'Walks the index of employee_count in its order, and reads only the records of the page.',
  )
})

test('only admins may have a list explained', async () => {
  for (const as of ['member', 'viewer', 'memberKey', 'workspaceKey'] as const) {
    const { status, body } = await records.list('company', { explain: true }, { as })
    expect([status, body.errors[0].code, body.errors[0].source]).toEqual([403, 'forbidden', { parameter: 'explain' }])
    expect((await records.list('company', { explain: false }, { as })).status).toBe(200)
  }
})

test('without being asked, nothing is explained', async () => {
  expect((await records.list('company', {}, { as: 'admin' })).body.meta).not.toHaveProperty('explain')
})
