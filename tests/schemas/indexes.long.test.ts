import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'

const app = await startApp({ fieldIndexThreshold: 5 })
const { make, get } = schemasOf(app)
const { edit, put, end } = changesOf(app)
const records = recordsOf(app)

const name = { type: 'string', xSvcPrimary: true }
const letters = ['a', 'b', 'c', 'd']

/** An object with forty records; `v` is one of four letters, or nothing in every tenth. */
async function filled(schema: Json = { type: 'string' }): Promise<string> {
  const object = await make({ name, v: schema })
  await records.createMany(
    object,
    Array.from({ length: 40 }, (_, number) => ({
      name: `N ${String(number).padStart(2, '0')}`,
      ...(number % 10 !== 9 && { v: letters[number % 4] }),
    })),
  )
  return object
}

const states = async (object: string) =>
  (await app.indexes.states())
    .filter((one) => one.object === object)
    .map(({ field, kind, state }) => `${field} ${kind} ${state}`)
/** Under which names an object has rows in the index tables. */
const indexedColumnsIn = (rows: readonly string[], object: string): string[] =>
  [
    ...new Set(rows.map((row): string => JSON.parse(row.slice(row.indexOf('{'))).field.slice(object.length + 1))),
  ].toSorted((a, b) => (a < b ? -1 : 1))
const indexedColumns = async (object: string) => indexedColumnsIn(await app.indexes.rows(`${object}.`), object)

/** Asks for the indexes on a field, and waits for them. */
async function indexed(object: string, field: string): Promise<void> {
  await records.list(object, { [`filter[${field}]`]: 'a' })
  await records.list(object, { [`filter[${field}][Contains]`]: 'aaa' })
  await app.startJobs()
  await app.indexes.ready()
}

const total = async (object: string, query: Json): Promise<number> =>
  (await records.list(object, { ...query, 'page[limit]': 1 })).body.meta.total_records

/** Compares every way of reading a list, for each of the letters and for nothing. */
async function expectRight(object: string, field: string): Promise<void> {
  for (const [letter, count] of [
    ['a', 10],
    ['b', 8],
    ['c', 10],
    ['d', 8],
  ] as const)
    expect(await total(object, { [`filter[${field}]`]: letter }), letter).toBe(count)
  expect(await total(object, { [`filter[${field}]`]: 'null' })).toBe(4)
  const sorted = (
    await records.list(object, { 'sortOrder[column]': field, 'sortOrder[dir]': 'ASC', 'page[limit]': 40 })
  ).body.data.map((one: Json) => one.attributes[field])
  expect(sorted).toEqual(
    sorted.toSorted((a: string | null, b: string | null) =>
      a === b ? 0 : a === null ? 1 : b === null ? -1 : a < b ? -1 : 1,
    ),
  )
}

describe('an index on demand', () => {
  test('stays with a field that is renamed', async () => {
    const object = await filled()
    await indexed(object, 'v')
    const before = [await states(object), await app.indexes.rows(`${object}.`)]
    expect(before[0]).toEqual(['v grams ready', 'v text ready'])
    await edit(
      object,
      (properties, document) => (document.properties = { name, w: { ...properties.v, xSvcPrevName: 'v' } }),
    )
    await app.cleaned()
    expect([await states(object), await app.indexes.rows(`${object}.`)]).toEqual(before)
    await expectRight(object, 'w')
    expect(await states(object)).toEqual(before[0])
  })

  test('goes with the type of its field, and is built anew on the next request', async () => {
    const object = await filled()
    await indexed(object, 'v')
    await edit(object, (properties) => (properties.v = { xSvcType: 'select', enum: letters }))
    await expectRight(object, 'v')
    await app.cleaned()
    await app.indexes.ready()
    const [state, ...others] = await states(object)
    expect(others).toEqual([])
    expect(state).toMatch(/^v~i\d+ text ready$/)
    expect(await indexedColumns(object)).toEqual(['name', state?.split(' ')[0]])
    await expectRight(object, 'v')
  })

  test('goes with its field, and one that comes back has none of it', async () => {
    const object = await filled()
    await indexed(object, 'v')
    await edit(object, (properties) => delete properties.v)
    await edit(object, (properties) => (properties.v = { type: 'string' }))
    expect(await total(object, { 'filter[v]': 'a' })).toBe(0)
    expect(await total(object, { 'filter[v]': 'null' })).toBe(40)
    await app.cleaned()
    await app.indexes.ready()
    expect((await indexedColumns(object)).filter((column) => column === 'v')).toEqual([])
    expect((await states(object)).filter((state) => state.startsWith('v '))).toEqual([])
    expect(await total(object, { 'filter[v]': 'null' })).toBe(40)
  })

  test('gives way to that of a primary field, which gives way to one on demand', async () => {
    const object = await filled()
    await indexed(object, 'v')
    await edit(object, (properties) => {
      delete properties.name.xSvcPrimary
      properties.v.xSvcPrimary = true
    })
    await expectRight(object, 'v')
    await app.cleaned()
    expect(await states(object)).toEqual([])
    expect(await indexedColumns(object)).toEqual([expect.stringMatching(/^v~i\d+$/)])
    await expectRight(object, 'v')
    await edit(object, (properties) => {
      delete properties.v.xSvcPrimary
      properties.name.xSvcPrimary = true
    })
    await expectRight(object, 'v')
    await app.cleaned()
    await app.indexes.ready()
    expect((await states(object)).every((state) => /^v~i\d+ text ready$/.test(state))).toBe(true)
    await expectRight(object, 'v')
    const names = (
      await records.list(object, { 'sortOrder[column]': 'name', 'sortOrder[dir]': 'DESC', 'page[limit]': 2 })
    ).body.data.map((one: Json) => one.attributes.name)
    expect(names).toEqual(['N 39', 'N 38'])
  })
})

describe('an index that is being built', () => {
  test.for<[string, (properties: Json) => unknown, string[]]>([
    ['retyped', (properties) => (properties.v = { xSvcType: 'select', enum: letters }), ['name']],
    ['dropped', (properties) => delete properties.v, ['name']],
    [
      'renamed',
      (properties) => {
        properties.w = { ...properties.v, xSvcPrevName: 'v' }
        delete properties.v
      },
      ['name', 'v'],
    ],
  ])('while its field is %s leaves what the schema says', async ([_what, change, left]) => {
    // Its jobs wait until both are asked for.
    const own = await startApp({ fieldIndexThreshold: 5 })
    const there = recordsOf(own)
    const object = await schemasOf(own).make({ name, v: { type: 'string' } }, { name: 'Building' })
    for (let part = 0; part < 4; part++)
      await there.createMany(
        object,
        Array.from({ length: 1000 }, (_, number) => ({ name: `N ${number}`, v: letters[number % 4] })),
      )
    await there.list(object, { 'filter[v]': 'a' })
    expect((await own.indexes.states()).map(({ field, state }) => [field, state])).toEqual([['v', 'building']])
    const document = await schemasOf(own).get(object)
    change(document.properties)
    const { body } = await changesOf(own).put(object, document)
    expect(await changesOf(own).end(body.data.id)).toMatchObject({ state: 'completed' })
    await own.cleaned()
    await own.indexes.ready()
    const rows = await own.indexes.rows(`${object}.`)
    expect(indexedColumnsIn(rows, object)).toEqual(left)
    expect((await own.indexes.states()).map(({ field, state }) => [field, state])).toEqual(
      left.includes('v') ? [['v', 'ready']] : [],
    )
    if (left.includes('v'))
      expect(rows.filter((row) => row.startsWith('field_text') && row.includes('.v"'))).toHaveLength(4000)
  })
})

test('lists that are planned with an index are right while options are cleared', { timeout: 120_000 }, async () => {
  const object = await make({
    name,
    v: { xSvcType: 'select', enum: letters },
    tags: { xSvcType: 'multi_select', enum: letters },
  })
  for (let part = 0; part < 2; part++) {
    await records.createMany(
      object,
      Array.from({ length: 1000 }, (_, number) => ({
        v: letters[number % 4],
        tags: { items: [letters[number % 4], letters[(number + 1) % 4]] },
      })),
    )
  }
  for (const field of ['v', 'tags']) await records.list(object, { [`filter[${field}]`]: 'a' })
  await app.startJobs()
  await app.indexes.ready()
  const document = await get(object)
  document.properties.v.enum = ['a', 'b', 'c']
  document.properties.tags.enum = ['a', 'b', 'c']
  const { body } = await put(object, document)
  const over = { is: false }
  const seen = new Set<string>()
  const look = async () => {
    while (!over.is) {
      const [is, none, not, tagged, untagged] = await Promise.all([
        total(object, { 'filter[v]': 'a' }),
        total(object, { 'filter[v]': 'null' }),
        total(object, { 'filter[v][Is not]': 'a' }),
        total(object, { 'filter[tags]': 'c' }),
        total(object, { 'filter[tags][Is empty]': '' }),
      ])
      seen.add([is, none, not, tagged, untagged].join(' '))
      const page = (
        await records.list(object, { 'sortOrder[column]': 'v', 'sortOrder[dir]': 'DESC', 'page[limit]': 1 })
      ).body.data[0].attributes.v
      expect(['c', 'd'], page).toContain(page)
    }
  }
  const looking = [look(), look()]
  expect(await end(body.data.id, 100_000)).toMatchObject({ state: 'completed' })
  over.is = true
  await Promise.all(looking)
  for (const counts of seen) expect(counts).toMatch(/^500 (0|500) 1500 1000 0$/)
  expect(await total(object, { 'filter[v]': 'null' })).toBe(500)
  await expect
    .poll(() =>
      app.indexes.rows(`${object}.v`).then((rows) => rows.filter((row) => row.includes('"text_value":"d"')).length),
    )
    .toBe(0)
})
