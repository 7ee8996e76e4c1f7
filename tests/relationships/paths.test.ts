import { describe, expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { QueryText } from '../harness/api.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, recordsPath, resourcesPath } from '../harness/records.ts'
import { schemasOf } from '../harness/schemas.ts'
import { isFull } from '../harness/size.ts'

// Paths over custom objects: floors of houses, houses inside houses, who lives in them, and one caretaker for each.
const app = await startApp({ standingStill: true })
const records = recordsOf(app)
const { make } = schemasOf(app)

await make(
  {
    name: { xSvcType: 'text', xSvcPrimary: true },
    parent_id: { xSvcRelationship: { kind: 'many-to-one', entity: 'c_house', field: 'parts' } },
    residents: { xSvcRelationship: { kind: 'many-to-many', entity: 'person', field: 'homes' } },
    caretaker_id: { xSvcRelationship: { kind: 'one-to-one', entity: 'person', field: 'house_id' } },
  },
  { name: 'House', plural: 'Houses' },
)
await make(
  {
    name: { xSvcType: 'text', xSvcPrimary: true },
    house_id: { xSvcRelationship: { kind: 'many-to-one', entity: 'c_house', field: 'floors' } },
  },
  { name: 'Floor', plural: 'Floors' },
)

const range = (length: number): number[] => Array.from({ length }, (_, index) => index)
const idsOf = (rows: readonly Json[]): string[] => rows.map(({ id }) => id)

const companies = await records.createMany('company', [{ name: 'Acme' }, { name: 'Initech' }])
const people = await records.createMany(
  'person',
  range(12).map((n) => ({ job_title: `Job ${n}`, ...(n < 10 && { company_id: companies[n % 2].id }) })),
)
const town = await records.create('c_house', { name: 'Town' })
const block = await records.create('c_house', { name: 'Block', parent_id: town.id })
const houses = await records.createMany(
  'c_house',
  range(10).map((n) => ({ name: `House ${n}`, parent_id: n < 6 ? block.id : town.id, caretaker_id: people[n].id })),
)
for (const [n, { id }] of houses.entries()) {
  await app.api.post(`${recordsPath('c_house')}/${id}/relationships/residents`, {
    as: 'member',
    body: { data: [n, (n + 1) % 12].map((at) => ({ type: 'person', id: people[at].id })) },
  })
}
const floors = await records.createMany(
  'c_floor',
  range(20).map((n) => ({ name: `Floor ${n}`, house_id: houses[n % 10].id })),
)

const houseOf = (n: number): number => n % 10

describe('filters along relationships', () => {
  test.for<[what: string, object: string, query: QueryText, expected: string[]]>([
    ['one level, to one', 'c_floor', { 'filter[house_id.name]': 'House 3' }, idsOf([floors[3], floors[13]])],
    [
      'two levels, of an object with itself',
      'c_floor',
      { 'filter[house_id.parent_id.name]': 'Town' },
      idsOf(floors.filter((_, n) => houseOf(n) >= 6)),
    ],
    [
      'three levels, of an object with itself',
      'c_floor',
      { 'filter[house_id.parent_id.parent_id.name]': 'Town' },
      idsOf(floors.filter((_, n) => houseOf(n) < 6)),
    ],
    [
      'three levels, through many',
      'c_floor',
      { 'filter[house_id.residents.company_id.name]': 'Acme' },
      idsOf(floors.filter((_, n) => [houseOf(n), houseOf(n) + 1].some((at) => at < 10 && at % 2 === 0))),
    ],
    [
      'the same with the leading object',
      'c_floor',
      { 'filter[c_floor.house_id.residents.company_id.name]': 'Acme' },
      idsOf(floors.filter((_, n) => [houseOf(n), houseOf(n) + 1].some((at) => at < 10 && at % 2 === 0))),
    ],
    [
      'backwards',
      'company',
      { 'filter[people.homes.parent_id.name]': 'Town', 'filter[name]': 'Acme' },
      [companies[0].id],
    ],
    ['downwards, of an object with itself', 'c_house', { 'filter[parts.parts.name]': 'House 2' }, [town.id]],
    [
      'along a pair, from either end',
      'person',
      { 'filter[house_id.parent_id.name]': 'Block' },
      idsOf(people.slice(0, 6)),
    ],
    [
      'along a pair, on to many',
      'c_house',
      { 'filter[caretaker_id.company_id.people.job_title]': 'Job 7' },
      idsOf(houses.filter((_, n) => n % 2 === 1)),
    ],
    [
      'none that fits',
      'c_house',
      { 'filter[residents.company_id.name][Is not]': 'Acme', 'filter[caretaker_id][Is not empty]': '' },
      [houses[9].id],
    ],
    [
      'an end that is empty',
      'c_floor',
      { 'filter[house_id.residents.company_id][Is not empty]': '', 'filter[name]': 'Floor 0' },
      [floors[0].id],
    ],
  ])('%s', async ([, object, query, expected]) => {
    const { status, body } = await records.list(object, { ...query, 'page[limit]': 100 })
    expect(status, JSON.stringify(body.errors)).toBe(200)
    expect(idsOf(body.data)).toEqual(expected)
    expect(body.meta.total_records).toBe(expected.length)
  })

  test('go three levels and no further', async () => {
    const { status, body } = await records.list('c_floor', {
      'filter[house_id.parent_id.parent_id.parent_id.name]': 'Town',
    })
    expect([status, body.errors[0].code, body.errors[0].source.parameter]).toEqual([
      400,
      'invalid_parameter',
      'filter[house_id.parent_id.parent_id.parent_id.name]',
    ])
  })
})

let deals = 0

/**
 * Statements that one such request runs; asked twice before, so that nothing is left to be found out about the schemas,
 * and with a
 * commit in between, since SQLite tells for nothing that there was none and what is known is not asked for then.
 */
async function statements(operation: string, path: string, query: QueryText): Promise<number> {
  const run = async (): Promise<void> => expect((await app.api.get(path, { as: 'member', query })).status).toBe(200)
  const total = async (): Promise<number> => {
    const { body } = await app.http.send({ method: 'GET', url: `${app.origin}/metrics` })
    return Number(
      new RegExp(
        `^kontor_database_statements_total\\{[^}]*operation="${operation.replace('.', '\\.')}"[^}]*\\} (\\d+)$`,
        'm',
      ).exec(body)?.[1] ?? 0,
    )
  }
  await run()
  await run()
  // The fewest of three: a server that has just waited may ask once more for what it trusts of the caller.
  const counts: number[] = []
  for (let time = 0; time < 3; time++) {
    await records.create('deal', { name: `Beside ${++deals}` })
    const before = await total()
    await run()
    counts.push((await total()) - before)
  }
  return Math.min(...counts)
}

// Which statements there are does not depend on the database.
describe.runIf(inject('database') === 'sqlite' || isFull())(
  'include costs one query for each path, however many records',
  () => {
    test.for<[object: string, include: string, paths: number]>([
      ['c_floor', 'house_id', 1],
      ['c_floor', 'house_id.parent_id.parent_id', 3],
      ['c_floor', 'house_id.residents.company_id,house_id.caretaker_id', 4],
      ['c_house', 'parts.parts.floors', 3],
      ['c_house', 'residents.homes.floors,caretaker_id.company_id', 5],
      ['person', 'homes.parts,house_id.caretaker_id', 4],
    ])('%s with %s: %i', async ([object, include, paths]) => {
      const path = resourcesPath(object)
      const without = await statements('resources.list', path, { 'page[limit]': 50 })
      for (const limit of [2, 50]) {
        // The first few are not linked to all of this, and a path that ends early is followed no further.
        const asked = await statements('resources.list', path, { include, 'page[limit]': limit })
        expect(asked - without, `${limit} records`).toSatisfy((more: number) =>
          limit === 50 ? more === paths : more > 0 && more <= paths,
        )
      }
    })

    test('of related records as well', async () => {
      const path = `${recordsPath('c_house')}/${block.id}/relationships/parts`
      const without = await statements('relationships.list', path, {})
      for (const limit of [1, 6])
        expect(
          await statements('relationships.list', path, {
            include: 'parts.residents.company_id,parts.floors',
            'page[limit]': limit,
          }),
        ).toBe(without + 3)
    })
  },
)

test('what is included along an object with itself stands below each, level by level', async () => {
  const { body } = await app.api.get(`${resourcesPath('c_house')}/${town.id}`, {
    as: 'member',
    query: { include: 'parts.parts.caretaker_id' },
  })
  const { parts } = body.data.relationships
  expect([idsOf(parts.data), parts.meta]).toEqual([[block.id, ...idsOf(houses.slice(6))], { count: 5 }])
  const inner = parts.data[0].relationships.parts
  expect([idsOf(inner.data), inner.meta.count]).toEqual([idsOf(houses.slice(0, 6)), 6])
  expect(idsOf(inner.data.map((house: Json) => house.relationships.caretaker_id.data))).toEqual(
    idsOf(people.slice(0, 6)),
  )
  expect(new Set(idsOf(body.included))).toEqual(new Set([block.id, ...idsOf(houses), ...idsOf(people.slice(0, 6))]))
})

test('members sorted by a name of theirs, with what else they belong to, in one request', async () => {
  const query = { include: 'residents.homes', 'sortOrder[column]': 'job_title', 'sortOrder[dir]': 'DESC' }
  const { body } = await app.api.get(`${recordsPath('c_house')}/${houses[4].id}/relationships/residents`, {
    as: 'member',
    query,
  })
  expect(body.data.map(({ id, relationships }: Json) => [id, idsOf(relationships.homes.data)])).toEqual([
    [people[5].id, idsOf([houses[4], houses[5]])],
    [people[4].id, idsOf([houses[3], houses[4]])],
  ])
})

test('records that are linked with one another are deleted in one request, and come back linked', async () => {
  const outer = await records.create('c_house', { name: 'Outer' })
  const inner = await records.create('c_house', { name: 'Inner', parent_id: outer.id })
  const both = [outer.id, inner.id]
  const [link] = await app.links(inner.id)
  expect((await records.remove('c_house', both)).status).toBe(200)
  // Hidden once: at the end, the harness verifies that the counts of links are those of the links.
  expect(await app.links(inner.id)).toEqual([{ ...link, hidden_by: inner.id }])
  expect((await records.restore('c_house', both)).status).toBe(200)
  expect(await app.links(inner.id)).toEqual([{ ...link, hidden_by: null }])
})
