import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { QueryText } from '../harness/api.ts'
import type { Json } from '../harness/http.ts'
import { resourcesPath } from '../harness/records.ts'
import { runSeed, rounds, sized, someOf } from '../harness/size.ts'
import {
  conditionIn,
  conditionOn,
  countOf,
  fieldsOf,
  shorthandIn,
  spelledField,
  spelledTree,
  spellingsOf,
  treeIn,
  type Setting,
} from './reference-model/conditions.ts'
import { holds, type Leaf, type Tree } from './reference-model/evaluate.ts'
import { objects, operators } from './reference-model/fields.ts'
import { byOrder, type Sort } from './reference-model/order.ts'
import { seed, worldOf } from './reference-model/seed.ts'

/** Every run draws the same; another number draws others. A failure prints it with what it found. */

const app = await startApp()

/** The end of a leap day that is the last of its month, at its last millisecond: periods begin and end around it. */
const now = Date.parse('2028-02-29T23:59:59.999Z')
await seed(app, now, runSeed)
app.stopClock(now)

const callers = ['adminKey', 'memberKey'] as const
type CallerName = (typeof callers)[number]
const worlds = { adminKey: await worldOf(app, 'adminKey'), memberKey: await worldOf(app, 'memberKey') }
const setting: Setting = { world: worlds.adminKey, now }
const names = Object.keys(objects)

const sortable = (object: string) => fieldsOf(object).filter(({ kind }) => kind !== 'rich')
const sortsOf = (object: string): fc.Arbitrary<Sort[]> =>
  fc.uniqueArray(
    fc.record({ field: fc.constantFrom(...sortable(object)), dir: fc.constantFrom('ASC' as const, 'DESC' as const) }),
    { selector: ({ field }) => field.name, minLength: 0, maxLength: 3 },
  )

const expected = (as: CallerName, object: string, tree: Tree, sort: readonly Sort[] = [], at = now): string[] => {
  const order =
    sort.length === 0
      ? [{ field: fieldsOf(object).find(({ name }) => name === '_created_at')!, dir: 'ASC' as const }]
      : sort
  return [...worlds[as][object]!.values()]
    .filter((attributes) => holds(worlds[as], at, object, attributes, tree))
    .toSorted(byOrder(order))
    .map(({ _id }) => _id)
}

const show = (id: string): string =>
  JSON.stringify(
    Object.values(worlds.adminKey)
      .map((records) => records.get(id))
      .find((record) => record !== undefined),
  )

/** The same records, in the same order; where there is a difference, a few of the records say more than all ids. */
function expectFound({ status, body }: Json, ids: readonly string[], what: string): void {
  expect(status, `${what}: ${JSON.stringify(body?.errors)}`).toBe(200)
  const found: string[] = body.data.map(({ id }: Json) => id)
  const missing = ids
    .filter((id) => !found.includes(id))
    .slice(0, 3)
    .map(show)
  const extra = found
    .filter((id) => !ids.includes(id))
    .slice(0, 3)
    .map(show)
  expect({ missing, extra }, what).toEqual({ missing: [], extra: [] })
  expect(found, what).toEqual(ids)
  expect(body.meta.total_records, what).toBe(ids.length)
}

const spelledValue = (value: Json): string => (value === null ? '' : [value].flat().join(','))

const queryOf = (leaf: Leaf, op: string, lead?: string): QueryText => ({
  [`filter[${spelledField(leaf, lead)}][${op}]`]: spelledValue(leaf.value),
})

const sortQuery = (sort: readonly Sort[]): QueryText =>
  Object.fromEntries(
    sort.flatMap(({ field, dir }, index) => [
      [`sortOrder[${index}][column]`, field.name],
      [`sortOrder[${index}][dir]`, dir],
    ]),
  )

const ask = (as: CallerName, object: string, query: QueryText) =>
  app.api.get(resourcesPath(object), { as, query: { 'page[limit]': 1000, ...query } })

const run = { seed: runSeed, endOnFailure: true }

test('there is something to be found and something to be missed', () => {
  for (const object of names) expect(worlds.adminKey[object]!.size, object).toBeGreaterThan(object === 'user' ? 2 : 50)
  expect(worlds.memberKey['meeting']!.size).toBeLessThan(worlds.adminKey['meeting']!.size)
})

describe.each(names)('%s', (object) => {
  test('has the operators of the table, field by field', async () => {
    for (const { name, kind } of fieldsOf(object)) {
      const { body } = await ask('adminKey', object, { [`filter[${name}][no such]`]: 'x' })
      expect(body.errors[0].meta.allowed.toSorted(), name).toEqual(operators[kind].toSorted())
    }
  })

  test('every operator of every field, by its name and its aliases', { timeout: 120_000 }, async () => {
    for (const field of fieldsOf(object)) {
      for (const op of someOf(operators[field.kind], 3)) {
        const leaves = fc.sample(conditionOn({ path: [], field }, op, setting, false), {
          seed: runSeed,
          numRuns: sized(4, 1),
        })
        for (const [index, leaf] of leaves.entries()) {
          const spelling = spellingsOf(op)[index % spellingsOf(op).length]!
          const query = queryOf(leaf, spelling, index % 3 === 0 ? object : undefined)
          expectFound(await ask('adminKey', object, query), expected('adminKey', object, leaf), JSON.stringify(query))
        }
      }
    }
  })
})

test('conditions in a URL, along paths and in any order', { timeout: 120_000 }, async () => {
  const questions = fc.constantFrom(...names).chain((object) =>
    fc.record({
      object: fc.constant(object),
      as: fc.constantFrom(...callers),
      leaves: fc.uniqueArray(conditionIn(object, setting), {
        selector: (leaf) => `${leaf.path.join('.')}.${leaf.field} ${leaf.op}`,
        minLength: 1,
        maxLength: 3,
      }),
      sort: sortsOf(object),
    }),
  )
  await fc.assert(
    fc.asyncProperty(questions, async ({ object, as, leaves, sort }) => {
      const query = Object.assign({}, ...leaves.map((leaf) => queryOf(leaf, leaf.op)), sortQuery(sort)) as QueryText
      expectFound(
        await ask(as, object, query),
        expected(as, object, { and: leaves }, sort),
        `${as} ${object} ${JSON.stringify(query)}`,
      )
    }),
    { ...run, numRuns: rounds(100, 5) },
  )
})

test('shorthand in a bare value', { timeout: 120_000 }, async () => {
  const questions = fc
    .constantFrom(...names)
    .chain((object) =>
      fc.record({ object: fc.constant(object), short: shorthandIn(object, setting), sort: sortsOf(object) }),
    )
  await fc.assert(
    fc.asyncProperty(questions, async ({ object, short: { bare, leaf }, sort }) => {
      const query = { [`filter[${spelledField(leaf, undefined)}]`]: bare, ...sortQuery(sort) }
      expectFound(
        await ask('adminKey', object, query),
        expected('adminKey', object, leaf, sort),
        `${object} ${JSON.stringify(query)}`,
      )
    }),
    { ...run, numRuns: rounds(100, 5) },
  )
})

test('trees of AND, OR and NOT, five deep', { timeout: 120_000 }, async () => {
  const questions = fc.constantFrom(...names).chain((object) =>
    fc.record({
      object: fc.constant(object),
      as: fc.constantFrom(...callers),
      tree: treeIn(object, setting).filter((tree) => countOf(tree) <= 50),
      sort: sortsOf(object).filter((sort) => sort.length > 0),
    }),
  )
  await fc.assert(
    fc.asyncProperty(questions, async ({ object, as, tree, sort }) => {
      const body = {
        filter: spelledTree(tree),
        sort: sort.map(({ field, dir }) => ({ column: field.name, dir })),
        page: { limit: 1000 },
      }
      expectFound(
        await app.api.post(`${resourcesPath(object)}/query`, { as, body }),
        expected(as, object, tree, sort),
        `${as} ${object} ${JSON.stringify(body)}`,
      )
    }),
    { ...run, numRuns: rounds(100, 5) },
  )
})

describe('periods', () => {
  // The first instant of a year that begins on a Monday, amid a leap year, the last day of a quarter, and any other.
  test.for([
    '2024-01-01T00:00:00.000Z',
    '2028-02-29T23:59:59.999Z',
    '2026-03-31T12:00:00.000Z',
    '2026-12-31T23:59:59.999Z',
    '2026-11-21T09:30:15.123Z',
  ])('%s', { timeout: 120_000 }, async (instant) => {
    const at = Date.parse(instant)
    app.stopClock(at)
    const places = [
      ['deal', 'close_date'],
      ['task', 'due_date'],
      ['meeting', 'start'],
      ['company', '_updated_at'],
      ['person', '_created_at'],
    ] as const
    for (const [object, name] of places) {
      const field = fieldsOf(object).find((one) => one.name === name)!
      for (const leaf of fc.sample(
        conditionOn({ path: [], field }, 'Within', { world: setting.world, now: at }, false),
        { seed: runSeed, numRuns: sized(24, 3) },
      )) {
        expectFound(
          await ask('adminKey', object, queryOf(leaf, 'Within')),
          expected('adminKey', object, leaf, [], at),
          `${instant} ${object} ${JSON.stringify(leaf)}`,
        )
      }
    }
    app.stopClock(now)
  })
})
