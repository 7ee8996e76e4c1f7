import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, resourcesPath } from '../harness/records.ts'
import { runSeed, rounds, sized, someOf } from '../harness/size.ts'
import { byRelevance, isFound, searchedFields, words, type Found } from './reference-model/search.ts'
import { seenOf, texts } from './reference-model/texts.ts'
import { worldOf } from './reference-model/seed.ts'
import type { World } from './reference-model/values.ts'

// Whatever is written, in whatever order: a search finds what reading every record finds.

/**
 * Texts that are no syntax of ours: wildcards, the words and signs of full-text search on either database, and
 * punctuation alone.
 */
const hostile = [
  '%',
  '_',
  '%%a%',
  'a%b',
  '\\',
  "'",
  "' or 1=1 --",
  '"',
  '"a" OR "b"',
  'a AND b',
  'NOT a',
  'a NEAR b',
  'NEAR(a b)',
  'a*',
  '*a',
  '^a',
  '-a',
  'a:b',
  'grams:a',
  '{a}',
  '(a',
  ')',
  'a | b',
  'a & b',
  '!a',
  'a <-> b',
  '1 2 3',
  '0',
  '$1',
  '?',
  ';',
  '/*',
  'a\\',
  'C++',
  '.com',
  '@',
  '+49',
]

const names = [
  'Zoë Ångström',
  'Łukasz Żółć',
  'Søren Ødegård',
  'Nguyễn Thị Ánh',
  'Ғалым Ёлкин',
  'ΟΔΥΣΣΕΎΣ Παπαδόπουλος',
  '田中 太郎',
  '株式会社田中',
  'สมชาย ใจดี',
  'محمد علي',
  'João da Silva-Sauro',
  "O'Brien",
  'McDonald & Sons',
  'Jean-Luc',
  'ab',
  'abc',
  'abcd',
  'bcd',
  'x',
  'xy',
]
const pool = [...texts, ...names, ...hostile]
const text = fc.constantFrom(...pool.filter((one) => seenOf(one) !== ''))
const phrase = fc.array(text, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' '))

const variants: readonly ((given: string) => string)[] = [
  (given) => given,
  (given) => given.toUpperCase(),
  (given) => given.toLowerCase(),
  (given) => given.normalize('NFD'),
  (given) => given.normalize('NFKC'),
]

/** Some characters of a text, as long as a term of each kind. */
const part = fc
  .tuple(text, fc.nat(12), fc.constantFrom(1, 2, 3, 4, 5, 200), fc.constantFrom(...variants))
  .map(([given, start, length, vary]) => {
    const characters = [...given]
    const from = start % characters.length
    return vary(characters.slice(from, from + length).join(''))
  })

const search = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 3 }), fc.constantFrom(' ', ', ', '  ', '\t', '%', '" '))
  .map(([parts, between]) => [...parts.join(between)].slice(0, 90).join(''))
  .filter((given) => given.isWellFormed())

const labels = fc
  .uniqueArray(
    phrase.map((given) => seenOf(given.slice(0, 200))).filter((given) => given !== '' && given.isWellFormed()),
    { minLength: 1, maxLength: 2 },
  )
  .map((items) => ({ items }))
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 2 })

const rows: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  person: fc.record({
    name: maybe(fc.record({ first_name: phrase, last_name: maybe(phrase) })),
    job_title: maybe(phrase),
    location: maybe(fc.oneof(phrase, fc.record({ city: text, lines: fc.array(text, { maxLength: 2 }) }))),
    labels: maybe(labels),
    description: maybe(phrase),
    linkedin: maybe(text),
  }),
  company: fc.record({ name: maybe(phrase), industry: maybe(text), labels: maybe(labels), description: maybe(phrase) }),
}
const object = fc.constantFrom('person', 'company')

const change = object.chain((name) =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('create' as const),
        name: fc.constant(name),
        rows: fc.array(rows[name]!, { minLength: 1, maxLength: 4 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('update' as const),
        name: fc.constant(name),
        row: rows[name]!,
        at: fc.nat(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('delete' as const), name: fc.constant(name), at: fc.nat() }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('restore' as const), name: fc.constant(name), at: fc.nat() }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('merge' as const),
        name: fc.constant(name),
        at: fc.nat(),
        from: fc.nat(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('match' as const),
        name: fc.constant(name),
        row: rows[name]!,
        address: fc.nat(3),
      }),
    },
  ),
)
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

const uniqueOf: Readonly<Record<string, (number: number) => Json>> = {
  person: (number) => ({ email_addresses: { items: [`matched.${number}@bücher.example`] } }),
  company: (number) => ({ domains: { items: [`matched-${number}.example`] } }),
}

/** All records that were ever made, by object. */
type Made = Readonly<Record<string, string[]>>

async function make(records: ReturnType<typeof recordsOf>, made: Made, one: Change): Promise<number> {
  const ids = made[one.name]!
  const id = (at: number): string => ids[at % ids.length] as string
  if (one.kind === 'create') {
    ids.push(...(await records.createMany(one.name, one.rows)).map((row) => row.id))
    return 201
  }
  if (one.kind === 'match') {
    const { status, body } = await records.post(
      one.name,
      { ...one.row, ...uniqueOf[one.name]!(one.address) },
      { match_on: one.name === 'person' ? 'email_addresses' : 'domains' },
    )
    if (status === 201) ids.push(body.data.id)
    return status
  }
  if (ids.length === 0) return 404
  if (one.kind === 'update') return (await records.patch(one.name, id(one.at), one.row)).status
  if (one.kind === 'delete') return (await records.remove(one.name, [id(one.at)])).status
  if (one.kind === 'restore') return (await records.restore(one.name, [id(one.at)])).status
  return (await records.merge(one.name, id(one.at), [id(one.from)])).status
}

/** Every way to search finds the same as reading all records; `/search` in its own order. */
async function expectFound(app: TestApp, world: World, given: string): Promise<void> {
  const what = JSON.stringify(given)
  const hits: Found[] = []
  const isRefused = words(given).length === 0
  for (const name of ['person', 'company']) {
    const expected = [...world[name]!.values()].filter((attributes) => !isRefused && isFound(given, name, attributes))
    hits.push(...expected.map((attributes) => ({ object: name, attributes })))
    const listed = await app.api.get(resourcesPath(name), {
      as: 'adminKey',
      query: { search: given, 'page[limit]': 1000 },
    })
    const queried = await app.api.post(`${resourcesPath(name)}/query`, {
      as: 'adminKey',
      body: { search: given, page: { limit: 1000 }, filter: { or: [{ field: '_id', op: 'Is not empty' }] } },
    })
    if (isRefused) {
      expect(
        [listed.status, listed.body.errors?.[0].source, queried.status, queried.body.errors?.[0].source],
        what,
      ).toEqual([400, { parameter: 'search' }, 422, { pointer: '/search' }])
      continue
    }
    for (const { status, body } of [listed, queried]) {
      expect(status, `${what} ${JSON.stringify(body.errors)}`).toBe(200)
      const missing = expected.filter(({ _id }) => !body.data.some(({ id }: Json) => id === _id)).slice(0, 2)
      const extra = body.data.filter(({ id }: Json) => !expected.some(({ _id }) => _id === id)).slice(0, 2)
      expect({ missing, extra }, `${what} in ${name}`).toEqual({ missing: [], extra: [] })
      expect(body.meta.total_records).toBe(expected.length)
    }
  }
  if (isRefused) return
  const { status, body } = await app.api.post('/workspaces/acme/search', {
    as: 'adminKey',
    body: { query: given, entities: ['company', 'person'], limit: 50 },
  })
  expect(status, `${what} ${JSON.stringify(body.errors)}`).toBe(200)
  expect(body.meta).toEqual({ total_records: hits.length })
  const best = hits.toSorted(byRelevance(given)).slice(0, 50)
  expect(
    body.data.map(({ attributes }: Json) => attributes._id),
    `${what} in order`,
  ).toEqual(best.map(({ attributes }) => attributes._id))
}

const run = (numRuns: number) => ({ seed: runSeed, endOnFailure: true, numRuns })

describe.each([
  ['documents that are read one by one', false],
  ['documents that go into the index meanwhile', true],
] as const)('%s', async (_, isIndexed) => {
  const app = await startApp(isIndexed ? { fieldIndexThreshold: 0 } : {})
  const records = recordsOf(app, 'adminKey')
  const made: Made = { person: [], company: [] }

  test('a search finds what a reader of every record finds', { timeout: 240_000 }, async () => {
    if (isIndexed) await app.startJobs()
    let found = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 2, maxLength: 12 }),
        fc.array(search, { minLength: 3, maxLength: 6 }),
        async (changes, searches) => {
          for (const one of changes)
            expect([200, 201, 204, 404, 409, 422], JSON.stringify(one)).toContain(await make(records, made, one))
          if (isIndexed) await app.advance(6000)
          const world = await worldOf(app, 'adminKey')
          for (const given of searches) {
            await expectFound(app, world, given)
            found += Object.entries(world).filter(([name, all]) =>
              [...all.values()].some((attributes) => words(given).length > 0 && isFound(given, name, attributes)),
            ).length
          }
        },
      ),
      run(rounds(20, 2)),
    )
    expect(found, 'searches that find something').toBeGreaterThan(sized(40, 2))
    if (isIndexed) expect(await app.searchIndexed()).toBeGreaterThan(sized(20, 1))
  })

  test('nor does any text of the pool mean anything but itself', { timeout: 240_000 }, async () => {
    const world = await worldOf(app, 'adminKey')
    for (const given of someOf(
      pool.filter((one) => [...one].length <= 200),
      20,
    ))
      await expectFound(app, world, given)
  })

  test('the fields that are searched are those of the description', async () => {
    for (const [name, fields] of Object.entries(searchedFields))
      expect(
        Object.keys(
          (await app.api.get(`/workspaces/acme/schemas/objects/${name}`, { as: 'adminKey' })).body.data.attributes
            .properties,
        ),
        name,
      ).toEqual(expect.arrayContaining([...fields]))
  })
})
