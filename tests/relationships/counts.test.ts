import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'
import { changesOf, objectPath, schemasOf } from '../harness/schemas.ts'
import { until } from '../harness/until.ts'

const app = await startApp()
const records = recordsOf(app)
const { make } = schemasOf(app)
const { edit, end } = changesOf(app)

const path = (object: string, id: string, field: string): string =>
  `${recordsPath(object)}/${id}/relationships/${field}`
const totalOf = async (object: string, id: string, field: string): Promise<number> =>
  (await app.api.get(path(object, id, field), { as: 'member', query: { 'page[limit]': 1 } })).body.meta.total_records
const link = (object: string, id: string, field: string, type: string, ids: readonly string[]) =>
  app.api.post(path(object, id, field), { as: 'member', body: { data: ids.map((one) => ({ type, id: one })) } })

/** Counters of links along relationships of an object, and on Postgres what is not folded into them yet. */
const countersOf = async (object: string): Promise<string[]> =>
  (await app.counters()).filter((name) => name.startsWith(`${object}.`))

/** Waits until there are no more than so many. */
async function untilFolded(object: string, most: number): Promise<string[]> {
  await app.startJobs()
  return until(
    async () => {
      const left = await countersOf(object)
      return left.length <= most && left
    },
    { what: () => countersOf(object) },
  )
}

const tags = await make(
  {
    people: { xSvcRelationship: { kind: 'many-to-many', entity: 'person', field: 'tags' } },
    above_id: { xSvcRelationship: { kind: 'many-to-one', entity: 'c_tag', field: 'below' } },
  },
  { name: 'Tag', plural: 'Tags' },
)

test('totals are the same before they are folded and after, and a counter of nothing is forgotten', async () => {
  const [one, two] = await records.createMany(tags, [{}, {}])
  const people = (
    await records.createMany(
      'person',
      Array.from({ length: 30 }, () => ({})),
    )
  ).map(({ id }) => id)
  await link(tags, one.id, 'people', 'person', people)
  await link('person', people[0] as string, 'tags', tags, [two.id, one.id])
  expect([await totalOf(tags, one.id, 'people'), await totalOf('person', people[0] as string, 'tags')]).toEqual([30, 2])
  expect(await untilFolded(tags, 32)).toHaveLength(32)
  expect([await totalOf(tags, one.id, 'people'), await totalOf('person', people[0] as string, 'tags')]).toEqual([30, 2])
  await records.remove(tags, [one.id, two.id])
  expect(await totalOf('person', people[0] as string, 'tags')).toBe(0)
  expect(await untilFolded(tags, 0)).toEqual([])
  await records.restore(tags, [one.id])
  expect([await totalOf(tags, one.id, 'people'), await totalOf('person', people[0] as string, 'tags')]).toEqual([30, 1])
  await records.remove(tags, [one.id])
})

test('an include says the same number as the list', async () => {
  const person = await records.create('person', {})
  const included = async () =>
    (await records.get('person', person.id, { query: { include: 'tags' } })).body.data.relationships.tags.meta
  expect([await totalOf('person', person.id, 'tags'), await included()]).toEqual([0, { count: 0 }])
  const made = await records.createMany(tags, [{}, {}])
  await link(
    'person',
    person.id,
    'tags',
    tags,
    made.map(({ id }) => id),
  )
  expect([await totalOf('person', person.id, 'tags'), await included()]).toEqual([2, { count: 2 }])
})

test('counters go with their relationship, and with their object', async () => {
  const [top, ...others] = await records.createMany(tags, [{}, {}, {}])
  await link(
    tags,
    top.id,
    'below',
    tags,
    others.map(({ id }) => id),
  )
  await link(tags, top.id, 'people', 'person', [(await records.create('person', {})).id])
  await edit(tags, (properties: Json) => delete properties.people)
  await app.cleaned()
  expect((await untilFolded(tags, 1)).map((row) => row.includes('above_id'))).toEqual([true])
  const { body } = await app.api.delete(objectPath(tags))
  expect((await end(body.data.id)).state).toBe('completed')
  await app.cleaned()
  expect(await countersOf(tags)).toEqual([])
})
