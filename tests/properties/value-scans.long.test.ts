import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { QueryText } from '../harness/api.ts'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'

// The index on names begins with the object, so lists of one name are read from it in the order of the ids.
const app = await startApp()
const records = recordsOf(app, 'memberKey')

let at = Date.parse('2026-11-21T12:00:00.000Z')
const names = ['Same', 'Other'] as const
for (const [index, ms] of fc.sample(fc.constantFrom(0, 0, 1, 20, -1, -20, 3_600_000, -3_600_000), 80).entries()) {
  at += ms
  app.stopClock(at)
  await records.createMany('company', [{ name: names[index % 2] }, { name: 'Same' }])
}

type Row = { readonly id: string; readonly created: string; readonly name: unknown }

const rowsOf = ({ data }: Json): Row[] =>
  data.map(({ id, attributes }: Json) => ({ id, created: attributes._created_at, name: attributes.name }))

async function walk(query: QueryText): Promise<{ rows: Row[]; totals: Set<number> }> {
  const rows: Row[] = []
  const totals = new Set<number>()
  let { body } = await records.list('company', query)
  for (;;) {
    rows.push(...rowsOf(body))
    totals.add(body.meta.total_records)
    if (body.links.next === null) break
    ;({ body } = await app.api.get(body.links.next, { as: 'memberKey' }))
  }
  return { rows, totals }
}

test('a list of one value is in the order of creation, forwards and backwards, whatever the clock did', async () => {
  const all = rowsOf((await records.list('company', { 'page[limit]': 500 })).body)
  for (const name of names)
    for (const dir of ['ASC', 'DESC'])
      for (const limit of [1, 7, 50, 500]) {
        const wanted = all.filter((row) => row.name === name)
        const { rows, totals } = await walk({
          'filter[name]': name,
          'sortOrder[column]': '_created_at',
          'sortOrder[dir]': dir,
          'page[limit]': limit,
        })
        expect(rows).toEqual(dir === 'ASC' ? wanted : wanted.toReversed())
        expect([...totals]).toEqual([wanted.length])
      }
  const created = all.map((row) => row.created)
  expect(created).toEqual(created.toSorted())
})

test('a page by its offset, and the page before a cursor, are those of the walk', async () => {
  const { rows } = await walk({ 'filter[name]': 'Same', 'page[limit]': 500 })
  const { body } = await records.list('company', { 'filter[name]': 'Same', 'page[limit]': 10, 'page[offset]': 30 })
  expect(rowsOf(body)).toEqual(rows.slice(30, 40))
  const before = (await app.api.get(body.links.prev, { as: 'memberKey' })).body
  expect(rowsOf(before)).toEqual(rows.slice(20, 30))
  const { body: beyond } = await records.list('company', { 'filter[name]': 'Same', 'page[offset]': 10_000 })
  expect([beyond.data, beyond.meta.total_records]).toEqual([[], rows.length])
})
