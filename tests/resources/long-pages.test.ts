import { describe, expect, test } from 'vitest'
import type { QueryText } from '../harness/api.ts'
import type { Json } from '../harness/http.ts'
import { withoutRecords } from '../harness/missing-table.ts'
import { openAnswer, restOf } from '../harness/open-answer.ts'
import { someOf } from '../harness/size.ts'
import { path, startWithMany } from './long-pages.ts'

const { app, openWhole } = await startWithMany()

const idsOf = ({ data }: Json): string[] => data.map(({ id }: Json) => id)

/** By pages of the ordinary kind. */
async function allOf(query: QueryText): Promise<string[]> {
  const ids: string[] = []
  let next: string | null = path
  for (let first = true; next !== null; first = false) {
    const { body }: { body: Json } = await app.api.get(
      next,
      first ? { query: { 'page[limit]': 1000, 'fields[company]': 'name', ...query } } : {},
    )
    ids.push(...idsOf(body))
    next = body.links.next
  }
  return ids
}

const orders: [string, QueryText][] = [
  ['as they were created', {}],
  ['by name', { 'sortOrder[column]': 'name', 'sortOrder[dir]': 'ASC' }],
  ['by a number, empty values last', { 'sortOrder[column]': 'employee_count', 'sortOrder[dir]': 'DESC' }],
  [
    'those that a filter finds',
    { 'filter[employee_count][Is not empty]': '', 'sortOrder[column]': '_updated_at', 'sortOrder[dir]': 'DESC' },
  ],
  ['changed since', { 'filter[_updated_at][Is after]': '2020-01-01T00:00:00Z' }],
]

describe('a page of more than a thousand records', () => {
  test.for(someOf(orders, 1))('%s: is what smaller pages show, in chunks', async ([, query]) => {
    const all = await allOf(query)
    const { status, headers, body } = await app.api.get(path, {
      query: { 'page[limit]': 100_000, 'fields[company]': 'name', ...query },
    })
    expect([status, headers['transfer-encoding'], headers['content-length']]).toEqual([200, 'chunked', undefined])
    expect(idsOf(body)).toEqual(all)
    expect(Object.keys(body)).toEqual(['data', 'included', 'meta', 'links'])
    expect(body.meta).toEqual({ total_records: all.length, total_pages: 1, offset: 0, limit: 100_000 })
    expect(body.links).toEqual({ next: null, prev: null })
  })

  test.for(someOf(orders, 1))('%s: links lead on and back, and everything comes once', async ([, query]) => {
    const all = await allOf(query)
    const pages: Json[] = [
      (await app.api.get(path, { query: { 'page[limit]': 1200, 'fields[company]': 'name', ...query } })).body,
    ]
    while (pages.at(-1).links.next !== null) pages.push((await app.api.get(pages.at(-1).links.next)).body)
    expect(pages.map(idsOf)).toEqual(
      Array.from({ length: Math.ceil(all.length / 1200) }, (_, index) => all.slice(index * 1200, (index + 1) * 1200)),
    )
    expect(pages.map(({ meta }) => meta.offset)).toEqual(pages.map((_, index) => index * 1200))
    const back: Json[] = [pages.at(-1)]
    while (back[0].links.prev !== null) back.unshift((await app.api.get(back[0].links.prev)).body)
    expect(back.map(({ data, meta }) => [data, meta])).toEqual(pages.map(({ data, meta }) => [data, meta]))
  })

  test('from an offset, and back beyond the beginning', async () => {
    const all = await allOf({})
    const { body } = await app.api.get(path, {
      query: { 'page[limit]': 1500, 'page[offset]': 500, 'fields[company]': 'name' },
    })
    expect(idsOf(body)).toEqual(all.slice(500, 2000))
    const before = (await app.api.get(body.links.prev)).body
    expect([idsOf(before), before.meta.offset, before.links.prev]).toEqual([all.slice(0, 500), 0, null])
    expect(idsOf((await app.api.get(before.links.next)).body)).toEqual(all.slice(500, 2000))
  })

  test('asked for with a tree', async () => {
    const body = {
      filter: {
        or: [
          { field: 'industry', op: 'Is', value: 'steel' },
          { field: 'employee_count', op: 'Is empty' },
        ],
      },
      page: { limit: 2000 },
      fields: { company: ['industry'] },
    }
    const answer = await app.api.post(`${path}/query`, { body })
    expect([answer.body.data.length, answer.body.meta.total_records, answer.headers['transfer-encoding']]).toEqual([
      1120,
      1120,
      'chunked',
    ])
  })

  test('comes whole where there are few', async () => {
    const { headers, body } = await app.api.get(path, {
      query: { 'page[limit]': 5000, 'filter[industry]': 'Steel', 'filter[employee_count]': '5' },
    })
    expect(body.data.length).toBe(body.meta.total_records)
    expect(headers['content-length']).toBeDefined()
  })

  test('to HEAD only its headers', async () => {
    const answer = await openAnswer(app, path, { method: 'HEAD', query: { 'page[limit]': 5000 } })
    expect([answer.statusCode, await restOf(answer)]).toEqual([200, ''])
  })

  test('is refused where an answer comes whole: over tRPC and actions', async () => {
    const input = { workspace: 'acme', object: 'company', page: { limit: 1001 } }
    await expect(app.trpc().resources.list.query(input)).rejects.toMatchObject({
      data: {
        httpStatus: 400,
        body: { errors: [{ code: 'invalid_parameter', source: { parameter: 'page[limit]' } }] },
      },
    })
    const over = await app.http.send({
      method: 'POST',
      url: `${app.origin}/actions/resources.query`,
      headers: { 'Content-Type': 'application/json', Authorization: `api-key ${app.credentials.keys.adminKey}` },
      body: JSON.stringify({ workspace: 'acme', object: 'company', body: { page: { limit: 1001 } } }),
    })
    expect([over.status, over.body.errors[0].code]).toEqual([400, 'invalid_parameter'])
    expect(
      (await app.trpc().resources.list.query({ ...input, page: { limit: 1000 }, fields: { company: ['name'] } })).data,
    ).toHaveLength(1000)
  })
})

test('a reader learns that an answer broke off', async () => {
  // It cannot have been sent yet: no connection takes so much before anyone reads.
  const answer = await openWhole()
  await withoutRecords(app.databaseUrl, async () => {
    await expect(restOf(answer)).rejects.toMatchObject({ code: 'ECONNRESET' })
  })
  expect(app.takeErrors()).toHaveLength(1)
})
