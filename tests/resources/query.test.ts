import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, resourcesPath } from '../harness/records.ts'

const app = await startApp()
const path = `${resourcesPath('person')}/query`

/** Where the one error of an answer points. */
const sourceOf = async (body: Json, query = ''): Promise<Json> =>
  (await app.api.post(`${path}${query}`, { as: 'member', body })).body.errors[0].source

test('a fault points at its place in the body', async () => {
  const deep = { field: 'job_title', op: 'Is', value: 'x' }
  const cases: [Json, string][] = [
    [
      {
        sort: [
          { column: 'job_title', dir: 'ASC' },
          { column: 'nothing', dir: 'ASC' },
        ],
      },
      '/sort/1/column',
    ],
    [{ fields: { nothing: ['name'] } }, '/fields/nothing'],
    [{ fields: { person: ['nothing'] } }, '/fields/person'],
    [{ include: ['company_id', 'nothing'] }, '/include/1'],
    [{ include: ['company_id.people.company_id.people'] }, '/include/0'],
    [{ page: { after: 'x' } }, '/page/after'],
    [{ page: { before: 'x' } }, '/page/before'],
    [{ page: { after: 'x', before: 'x' } }, '/page/before'],
    [{ filter: { not: { not: { not: { not: { not: { not: deep } } } } } } }, '/filter'],
    [{ filter: { or: [deep, { ...deep, field: 'nothing' }] } }, '/filter/or/1'],
  ]
  for (const [body, pointer] of cases) expect(await sourceOf(body), JSON.stringify(body)).toEqual({ pointer })
})

test('a fault in the page of a link points at the parameter', async () => {
  expect(await sourceOf({}, '?page[after]=x')).toEqual({ parameter: 'page[after]' })
  expect(await sourceOf({ page: { after: 'y' } }, '?page[before]=x')).toEqual({ parameter: 'page[before]' })
})

test('is followed by sending the same body to the links', async () => {
  await recordsOf(app).createMany('person', [{ job_title: 'a' }, { job_title: 'b' }, { job_title: 'c' }])
  const body = { sort: [{ column: 'job_title', dir: 'DESC' }], page: { limit: 2 } }
  const first = (await app.api.post(path, { body })).body
  const second = (await app.api.post(first.links.next, { body })).body
  expect([...first.data, ...second.data].map((one: Json) => one.attributes.job_title)).toEqual(['c', 'b', 'a'])
})
