import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, resourcesPath } from '../harness/records.ts'
import { sized, someOf } from '../harness/size.ts'

const app = await startApp({ fieldIndexThreshold: 0 })
const records = recordsOf(app)

const beginning =
  'The same long beginning of many texts, so that an index which keeps one hundred and twenty-eight ' +
  'characters cannot tell them apart: '
/**
 * Few values, so that many records share one; some that end beyond what an index keeps, some that databases fold
 * differently when asked carelessly.
 */
const texts = [
  'a',
  'A',
  'ä',
  'ab',
  'abc',
  'ABCD',
  'abc d',
  'é',
  'e\u0301',
  'ß',
  'ss',
  '🦊',
  '🦊🦊🦊',
  'İstanbul',
  '%',
  '100%',
  'a_b',
  "o'brien",
  '{1,2}',
  '10',
  '9',
  `${beginning}one`,
  `${beginning}two`,
  `${beginning}TWO`,
  'x'.repeat(128),
  'x'.repeat(129),
  `y${'long '.repeat(1900)}end`,
  'ΟΔΟΣ',
  'οδος',
]
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 4 })
const text = maybe(fc.constantFrom(...texts))
const shortTexts = texts.filter((one) => one.length < 400)
const items = maybe(fc.uniqueArray(fc.constantFrom(...shortTexts), { maxLength: 3 }).map((list) => ({ items: list })))
const addresses = maybe(
  fc
    .uniqueArray(
      fc.constantFrom('abc@example.com', 'ab@example.com', 'ä@bücher.example', 'İ@example.org', 'long@example.com'),
      { maxLength: 3 },
    )
    .map((list) => ({
      items: list.map((email, at) => (at === 0 ? email : { email, name: texts[at + list.length]!, organizer: true })),
    })),
)
const users = maybe(fc.constantFrom(app.userIds.member, app.userIds.viewer))
const numbers = [-1.5, 0, 1, 2, 1e11, 0.0001]

const industries = await records.createMany(
  'company',
  ['Tech', 'tech', 'Energy', null].map((industry, index) => ({
    name: `Base ${index}`,
    industry,
    domains: { items: [`base${index}.example.com`] },
  })),
)
const companies = maybe(fc.constantFrom(...industries.map(({ id }) => id as string)))

const arbitraries = {
  company: fc.record({
    name: text,
    industry: text,
    employee_count: maybe(fc.constantFrom(...numbers)),
    labels: items,
    location: maybe(fc.oneof(fc.constantFrom(...texts), fc.constantFrom({ city: 'Abcville' }, { zip: 'abc' }))),
    description: text,
    owner_id: users,
  }),
  person: fc.record({
    name: maybe(
      fc.record({
        first_name: fc.constantFrom(...texts.slice(0, 12)),
        last_name: maybe(fc.constantFrom(...shortTexts)),
      }),
    ),
    job_title: text,
    company_id: companies,
    owner_id: users,
  }),
  deal: fc.record({
    stage: maybe(fc.constantFrom('Lead', 'Won', 'Lost')),
    amount: maybe(fc.constantFrom(...numbers)),
    close_date: maybe(fc.constantFrom('2026-01-01', '2026-12-31', '1999-01-01')),
    currency: text,
  }),
  meeting: fc.record({
    title: text,
    start: maybe(fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:00:00.001Z', '1999-01-01T00:00:00Z')),
    all_day: maybe(fc.boolean()),
    participants: addresses,
    visibility: fc.constantFrom('default', 'private'),
  }),
} as const satisfies Record<string, fc.Arbitrary<Json>>

type ObjectName = keyof typeof arbitraries
const objects = Object.keys(arbitraries) as ObjectName[]

const sample = (object: ObjectName, count: number): Json[] =>
  fc.sample(arbitraries[object] as fc.Arbitrary<Json>, count)

const size = 30
/** Half by the member and half by the admin, so that of meetings each sees their own. */
for (const object of objects) {
  const rows = sample(object, size)
  for (let start = 0; start < size; start += 15) await records.createMany(object, rows.slice(start, start + 15))
  for (const attributes of sample(object, 10)) await records.create(object, attributes, { as: 'admin' })
}

type Leaf = { readonly field: string; readonly op: string; readonly value?: unknown }

/** Values that mean something to a field, and some that hold for nothing. */
function valuesOf(object: ObjectName, field: string): fc.Arbitrary<string | number | boolean> {
  if (field.endsWith('_at') || field === 'start' || field === 'end')
    return fc.constantFrom('2026-01-01T00:00:00Z', '1999-01-01T00:00:00Z', '2000-06-01')
  if (field === 'close_date') return fc.constantFrom('2026-01-01', '1999-01-01', '2026-06-01')
  if (field === 'stage') return fc.constantFrom('Lead', 'Won', 'Qualified')
  if (field === 'visibility') return fc.constantFrom('default', 'private', 'workspace')
  if (field === 'all_day' || field === 'recording_enabled') return fc.boolean()
  if (field === 'employee_count' || field === 'amount' || field === 'annual_revenue')
    return fc.constantFrom(...numbers, 3)
  if (field === 'company_id')
    return fc.constantFrom(...industries.map(({ id }) => id as string), 'no id', app.userIds.member)
  if (field.endsWith('_by') || field === 'owner_id' || field === '_id')
    return fc.constantFrom(app.userIds.member, app.userIds.admin, app.userIds.viewer, 'no id')
  const parts = [
    'a',
    'ab',
    'abc',
    'bc',
    'ABC D',
    'long',
    'end',
    'two',
    'one',
    ': tw',
    '🦊🦊',
    '🦊🦊🦊',
    'same long',
    'xxx',
    'ville',
    'city',
    '10',
    '%',
    '',
    'οδοσ',
    'İst',
    'example.com',
  ]
  return fc.constantFrom(...texts.slice(0, -3), ...parts, ...(object === 'company' ? ['base1.example.com'] : []))
}

const emptiness = new Set(['Is empty', 'Is not empty', 'Is set', 'Is not set'])

async function leavesOf(object: ObjectName): Promise<fc.Arbitrary<Leaf>[]> {
  const fields: string[] = (await records.list(object, { 'filter[no_such_field]': 'x' })).body.errors[0].meta.allowed
  const paths = object === 'person' ? ['company_id.industry', 'company_id.name', 'company_id.employee_count'] : []
  const leaves: fc.Arbitrary<Leaf>[] = []
  for (const field of [...fields, ...paths]) {
    const operators: string[] = (await records.list(object, { [`filter[${field}][no such operator]`]: 'x' })).body
      .errors[0].meta.allowed
    const values = valuesOf(field.includes('.') ? 'company' : object, field.split('.').at(-1) as string)
    for (const op of operators) {
      if (emptiness.has(op)) leaves.push(fc.constant({ field, op }))
      else if (op === 'Within')
        leaves.push(fc.constantFrom('today', 'this_year', '-30d').map((value) => ({ field, op, value })))
      else if (op === 'One of' || op === 'Not one of')
        leaves.push(fc.array(values, { minLength: 1, maxLength: 3 }).map((value) => ({ field, op, value })))
      else leaves.push(values.map((value) => ({ field, op, value })))
    }
  }
  return leaves
}

type Question = {
  readonly filter?: Json
  readonly sort?: readonly { readonly column: string; readonly dir: 'ASC' | 'DESC' }[]
}
type Found = { readonly ids: string[]; readonly total: number }

async function ask(
  object: ObjectName,
  { filter, sort }: Question,
  as: 'admin' | 'member',
  page: Json = { limit: 1000 },
): Promise<Json> {
  const { status, body } = await app.api.post(`${resourcesPath(object)}/query`, {
    as,
    body: { ...(filter && { filter }), ...(sort && { sort }), page, fields: { [object]: [] } },
  })
  expect(status, JSON.stringify([body.errors, filter, sort])).toBe(200)
  return body
}

async function find(object: ObjectName, question: Question, as: 'admin' | 'member'): Promise<Found> {
  const { data, meta } = await ask(object, question, as)
  expect(meta.total_records, JSON.stringify([object, question])).toBe(data.length)
  return { ids: data.map(({ id }: Json) => id), total: meta.total_records }
}

/** A question that no index answers: every record is looked at. */
const lookedAt = ({ filter, sort }: Question): Question => ({
  ...(filter && { filter: { not: { not: filter } } }),
  ...(sort && { sort }),
})

/** Follows links forwards and back again: the same set in the same order. */
async function expectWalk(
  object: ObjectName,
  question: Question,
  all: readonly string[],
  limit: number,
): Promise<void> {
  const body = {
    ...(question.filter && { filter: question.filter }),
    ...(question.sort && { sort: question.sort }),
    page: { limit },
    fields: { [object]: [] },
  }
  const follow = async (first: Json, direction: 'next' | 'prev'): Promise<{ pages: string[][]; last: Json }> => {
    const pages: string[][] = []
    for (let page = first; ;) {
      pages.push(page.data.map(({ id }: Json) => id))
      if (page.links[direction] === null) return { pages, last: page }
      const answer = await app.api.post(page.links[direction], { as: 'admin', body })
      expect(answer.status, JSON.stringify(answer.body.errors)).toBe(200)
      page = answer.body
    }
  }
  const { pages, last } = await follow(await ask(object, question, 'admin', { limit }), 'next')
  expect(pages.flat(), JSON.stringify([object, question])).toEqual(all)
  expect((await follow(last, 'prev')).pages.toReversed().flat(), JSON.stringify([object, question])).toEqual(all)
  const offset = Math.floor(all.length / 2)
  expect((await ask(object, question, 'admin', { limit, offset })).data.map(({ id }: Json) => id)).toEqual(
    all.slice(offset, offset + limit),
  )
}

const questions = new Map<ObjectName, Question[]>()
for (const object of objects) {
  const leaves = await leavesOf(object)
  const each = leaves.flatMap((leaf) => fc.sample(leaf, 1).map((filter): Question => ({ filter })))
  const columns: string[] = (
    await records.list(object, { 'sortOrder[column]': 'no_such_field', 'sortOrder[dir]': 'ASC' })
  ).body.errors[0].meta.allowed
  const sorts = columns.flatMap((column) => (['ASC', 'DESC'] as const).map((dir) => [{ column, dir }]))
  const leaf = fc.oneof(...leaves)
  const tree = fc.oneof(
    leaf,
    fc.array(leaf, { minLength: 2, maxLength: 3 }).map((and) => ({ and })),
    fc.array(leaf, { minLength: 2, maxLength: 3 }).map((or) => ({ or })),
    fc.tuple(leaf, leaf, leaf).map(([a, b, c]) => ({ and: [a, { or: [b, c] }] })),
    leaf.map((not) => ({ not })),
    fc.tuple(leaf, leaf).map(([a, b]) => ({ and: [a, { not: b }] })),
  )
  const column = fc.record({
    column: fc.constantFrom(...columns),
    dir: fc.constantFrom('ASC' as const, 'DESC' as const),
  })
  const mixed = fc.record({
    filter: tree,
    sort: fc.uniqueArray(column, { selector: (one) => one.column, minLength: 1, maxLength: 3 }),
  })
  questions.set(object, [
    ...someOf(each, 10),
    ...someOf(sorts, 4).map((sort): Question => ({ sort })),
    ...(fc.sample(mixed, sized(10, 3)) as Question[]),
  ])
}

/** Every question answered by looking at each record, and as it comes. */
async function expectSame(stage: string): Promise<void> {
  for (const [object, all] of questions) {
    const callers = object === 'meeting' ? (['admin', 'member'] as const) : (['admin'] as const)
    await Promise.all(
      all.flatMap((question) =>
        callers.map(async (as) => {
          const expected = await find(object, lookedAt(question), as)
          expect(await find(object, question, as), `${stage}: ${JSON.stringify([object, question])}`).toEqual(expected)
        }),
      ),
    )
  }
}

/** Creates, changes and deletes some of everything. */
async function stir(): Promise<void> {
  for (const object of objects) {
    await records.createMany(object, sample(object, 10))
    const ids: string[] = (await ask(object, {}, 'member')).data.map(({ id }: Json) => id)
    const changes = sample(object, 30)
    await Promise.all(
      ids
        .filter((_, index) => index % 3 === 0)
        .map((id, index) => records.patch(object, id, changes[index % changes.length])),
    )
    await Promise.all(
      ids
        .filter((_, index) => index % 11 === 5)
        .map((id) => app.api.delete(`/workspaces/acme/objects/${object}/records/${id}`, { as: 'admin' })),
    )
  }
}

test(
  'every filter and sort answers alike without an index, while it is built, and with it',
  { timeout: 300_000 },
  async () => {
    await expectSame('without, and building since the first question')
    const states = await app.indexes.states()
    expect(new Set(states.map(({ state }) => state))).toEqual(new Set(['building']))
    await stir()
    await expectSame('building')

    await app.startJobs()
    await app.indexes.ready()
    await expectSame('ready')
    await stir()
    await expectSame('ready, and kept up')
  },
)

test('a walk by links over an index is the unpaged set', { timeout: 120_000 }, async () => {
  for (const [object, all] of questions) {
    const some = fc.sample(fc.constantFrom(...all.filter(({ sort }) => sort !== undefined)), sized(25, 3))
    for (const question of some) await expectWalk(object, question, (await find(object, question, 'admin')).ids, 7)
  }
})

test('the rows that writers keep are those of an index that is built anew', { timeout: 120_000 }, async () => {
  const primaries = { company: 'name', person: 'name', deal: 'name', meeting: 'title' } as const
  for (const object of objects) {
    const kept = await app.indexes.rows(object)
    const before = await app.indexes.states()
    await app.indexes.forget(object, primaries[object])
    // Persons are asked by what their company has, which asks for indexes of companies.
    for (const asked of object === 'company' ? (['company', 'person'] as const) : [object])
      await Promise.all((questions.get(asked) ?? []).map((question) => find(asked, question, 'admin')))
    await app.indexes.ready()
    expect((await app.indexes.states()).map(({ field, kind }) => `${field} ${kind}`)).toEqual(
      before.map(({ field, kind }) => `${field} ${kind}`),
    )
    expect(await app.indexes.rows(object)).toEqual(kept)
  }
})
