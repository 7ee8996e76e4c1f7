import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { QueryText } from '../harness/api.ts'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { sized, someOf } from '../harness/size.ts'

const app = await startApp()
const records = recordsOf(app)

/** Few values, so that many records share one; some that databases order differently when they are asked carelessly. */
const texts = [
  'a',
  'A',
  'ä',
  'b',
  'Z',
  'z',
  ' ',
  '_',
  '10',
  '9',
  'é',
  'e\u0301',
  'ß',
  'ss',
  '🦊',
  'İ',
  'x'.repeat(140),
  `${'x'.repeat(140)}y`,
]
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 4 })
const text = maybe(fc.constantFrom(...texts))
const items = maybe(
  fc
    .array(fc.constantFrom(...texts.filter((one) => one.trim() !== '')), { maxLength: 2 })
    .map((list) => ({ items: list })),
)

const company = fc.record({
  name: text,
  industry: text,
  employee_count: maybe(fc.constantFrom(-1.5, 0, 1, 2, 1e11)),
  labels: items,
  location: text,
  description: text,
})
const deal = fc.record({
  stage: maybe(fc.constantFrom('Lead', 'Won', 'Lost')),
  amount: maybe(fc.constantFrom(-0.0001, 0, 5, 999_999_999_999.9999)),
  currency: text,
  close_date: maybe(fc.constantFrom('2026-01-01', '2026-12-31', '1999-01-01')),
})
const person = fc.record({
  name: maybe(fc.record({ first_name: fc.constantFrom(...texts), last_name: text })),
  job_title: text,
  owner_id: maybe(fc.constantFrom(app.userIds.member, app.userIds.viewer)),
})
const addresses = maybe(
  fc
    .uniqueArray(fc.constantFrom('a@example.com', 'B@example.com', 'c@bücher.example'), { maxLength: 3 })
    .map((list) => ({ items: list })),
)
const meeting = fc.record({
  title: text,
  start: maybe(fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:00:00.001Z')),
  all_day: maybe(fc.boolean()),
  participants: addresses,
})
const task = fc.record({
  title: fc.constantFrom(...texts.filter((one) => one.trim() !== '')),
  status: maybe(fc.constantFrom('Done', 'To Do')),
  due_date: maybe(fc.constantFrom('2026-01-01', '2027-01-01')),
})

const size = sized(60, 30)
for (const [object, rows] of Object.entries({ company, deal, person, meeting, task })) {
  const [sample] = fc.sample(fc.array<Json>(rows as fc.Arbitrary<Json>, { minLength: size, maxLength: size }), 1)
  // In chunks, so that some have the same time of creation and others have not.
  for (let start = 0; start < size; start += size / 3)
    await records.createMany(object, sample!.slice(start, start + size / 3))
  await Promise.all(
    (await records.list(object, { 'page[limit]': 20 })).body.data.map(({ id }: Json, index: number) =>
      index % 3 === 0 ? records.patch(object, id, sample![index + 1]) : undefined,
    ),
  )
}

const idsOf = ({ body }: { body: Json }): string[] => body.data.map(({ id }: Json) => id)

/** Follows links from a page until there are no more. */
async function walk(
  all: readonly string[],
  first: Json,
  direction: 'next' | 'prev',
): Promise<{ pages: string[][]; last: Json }> {
  const pages: string[][] = []
  let page = first
  for (;;) {
    pages.push(idsOf(page))
    expect(page.body.meta.offset, 'the offset is right on every page').toBe(all.indexOf(page.body.data[0].id))
    if (page.body.links[direction] === null) return { pages, last: page }
    expect(pages.length, 'the walk ends').toBeLessThan(200)
    page = await app.api.get(page.body.links[direction], { as: 'member' })
    expect(page.status, JSON.stringify(page.body.errors)).toBe(200)
    expect(page.body.meta).toMatchObject({ total_records: first.body.meta.total_records, limit: first.body.meta.limit })
    expect(page.body.data.length).toBeGreaterThan(0)
  }
}

/** The property: pages by links, forwards and backwards, and by offsets, are the unpaged set in its order. */
async function expectWalks(object: string, query: QueryText, limit: number): Promise<void> {
  const whole = await records.list(object, { ...query, 'page[limit]': 1000 })
  expect(whole.status, JSON.stringify(whole.body.errors)).toBe(200)
  const all = idsOf(whole)
  expect(new Set(all).size).toBe(whole.body.meta.total_records)
  if (all.length === 0) return
  const { pages, last } = await walk(all, await records.list(object, { ...query, 'page[limit]': limit }), 'next')
  expect(pages.flat()).toEqual(all)
  expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true)
  expect(last.body.meta.offset).toBe((pages.length - 1) * limit)
  const back = await walk(all, last, 'prev')
  expect(back.pages.toReversed().flat()).toEqual(all)
  const odd = await walk(
    all,
    await records.list(object, { ...query, 'page[limit]': limit, 'page[offset]': all.length - 1 }),
    'prev',
  )
  expect(odd.pages.toReversed().flat()).toEqual(all)
  expect((await walk(all, odd.last, 'next')).pages.flat()).toEqual(all)
  expect(back.last.body.meta.offset).toBe(0)
  for (const [index, page] of pages.entries())
    expect(
      idsOf(await records.list(object, { ...query, 'page[limit]': limit, 'page[offset]': index * limit })),
    ).toEqual(page)
}

const sortableOf = async (object: string): Promise<string[]> =>
  (await records.list(object, { 'sortOrder[column]': 'no_such_field', 'sortOrder[dir]': 'ASC' })).body.errors[0].meta
    .allowed

describe.each(['company', 'deal', 'person', 'meeting', 'task'])('%s', (object) => {
  test('every sortable field, both ways: a walk by links is the unpaged set', async () => {
    const fields = await sortableOf(object)
    expect(fields.length).toBeGreaterThan(8)
    for (const column of someOf(fields, 1))
      for (const dir of ['ASC', 'DESC'])
        await expectWalks(object, { 'sortOrder[column]': column, 'sortOrder[dir]': dir }, 7)
  })

  test('empty values are last in either direction, and turning round turns the rest', async () => {
    for (const column of someOf(await sortableOf(object), 2)) {
      const sorted = async (dir: string) =>
        (await records.list(object, { 'sortOrder[column]': column, 'sortOrder[dir]': dir, 'page[limit]': 1000 })).body
          .data
      // A part of a name is a column, too.
      const valueOf = ({ attributes }: Json): Json =>
        column.split('.').reduce((value: Json, key) => value?.[key] ?? null, attributes)
      const isEmpty = (one: Json) => valueOf(one) === null || valueOf(one).items?.length === 0
      const [up, down] = [await sorted('ASC'), await sorted('DESC')]
      for (const list of [up, down])
        expect(list.map(isEmpty), column).toEqual(
          list.map(isEmpty).toSorted((a: boolean, b: boolean) => Number(a) - Number(b)),
        )
      const full = (list: Json[]) => list.filter((one) => !isEmpty(one)).map(({ id }) => id)
      expect(full(down), column).toEqual(full(up).toReversed())
    }
  })

  test('several columns, filters and any size of page', async () => {
    const fields = await sortableOf(object)
    const filters: QueryText[] = [
      {},
      { 'filter[_created_by]': app.userIds.member },
      { [`filter[${fields[0]}][Is not empty]`]: '' },
      { [`filter[${fields[1]}][Is empty]`]: '' },
    ]
    const column = fc.record({ column: fc.constantFrom(...fields), dir: fc.constantFrom('ASC', 'DESC') })
    const queries = fc.tuple(
      fc.uniqueArray(column, { selector: (one) => one.column, minLength: 1, maxLength: 5 }),
      fc.constantFrom(...filters),
      fc.integer({ min: 1, max: 25 }),
    )
    await fc.assert(
      fc.asyncProperty(queries, async ([columns, filter, limit]) => {
        const sort = columns.flatMap(({ column: name, dir }, index) => [
          [`sortOrder[${index}][column]`, name],
          [`sortOrder[${index}][dir]`, dir],
        ])
        await expectWalks(object, { ...Object.fromEntries(sort), ...filter }, Math.max(limit, 3))
      }),
      { numRuns: sized(6, 1), interruptAfterTimeLimit: 20_000 },
    )
  })
})

test('both databases order alike: by folded text, code point by code point', async () => {
  const { body } = await records.list('task', {
    'sortOrder[column]': 'title',
    'sortOrder[dir]': 'ASC',
    'page[limit]': 1000,
  })
  const found = [...new Set<string>(body.data.map(({ attributes }: Json) => attributes.title))]
  const folded = found.map((title) => [...title.normalize('NFC').toLowerCase()].slice(0, 128))
  for (let index = 1; index < folded.length; index++) {
    const [before, after] = [folded[index - 1]!, folded[index]!].map((points) =>
      points.map((point) => point.codePointAt(0)!),
    )
    const difference = before!.findIndex((point, at) => point !== after![at])
    if (difference !== -1 && !/[İß]/.test(found[index - 1]! + found[index]!))
      expect(before![difference]!, `${found[index - 1]} < ${found[index]}`).toBeLessThan(after![difference] ?? Infinity)
  }
})
