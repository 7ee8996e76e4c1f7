import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'

const app = await startApp({ fieldIndexThreshold: 20 })
const { createMany, list, patch } = recordsOf(app)
const { make } = schemasOf(app)
const { edit } = changesOf(app)

const people = [
  ['Zoë', 'Abel'],
  ['Ann', 'Zorn'],
  ['Bob', 'álvarez'],
  ['Cid', null],
  ['Dan', 'Abel'],
] as const
const made = await createMany(
  'person',
  people.map(([first_name, last_name]) => ({ name: { first_name, last_name } })),
)
const lastNames = ({ body }: Json): unknown[] => body.data.map(({ attributes }: Json) => attributes.name.last_name)

/** Counts the records that fit. */
const found = async (query: Json, object = 'person') => (await list(object, query)).body.meta.total_records

test('lists are sorted by the parts of a name, empty ones last, page by page', async () => {
  const query = {
    'sortOrder[0][column]': 'name.last_name',
    'sortOrder[0][dir]': 'ASC',
    'sortOrder[1][column]': 'name.first_name',
    'sortOrder[1][dir]': 'DESC',
  }
  const whole = await list('person', query)
  expect(lastNames(whole)).toEqual(['Abel', 'Abel', 'Zorn', 'álvarez', null])
  expect(whole.body.data.map(({ attributes }: Json) => attributes.name.first_name).slice(0, 2)).toEqual(['Zoë', 'Dan'])
  expect(lastNames(await list('person', { 'sortOrder[column]': 'name.last_name', 'sortOrder[dir]': 'DESC' }))).toEqual([
    'álvarez',
    'Zorn',
    'Abel',
    'Abel',
    null,
  ])
  const walked: unknown[] = []
  let { body } = await list('person', { ...query, 'page[limit]': 2 })
  for (;;) {
    walked.push(...body.data)
    if (body.links.next === null) break
    body = (await app.api.get(body.links.next)).body
  }
  expect(walked).toEqual(whole.body.data)
})

test('and filtered by them, along references too', async () => {
  expect(await found({ 'filter[name.last_name]': 'abel' })).toBe(2)
  expect(await found({ 'filter[person.name.last_name][Starts with]': 'ÁL' })).toBe(1)
  expect(await found({ 'filter[name.last_name][Is empty]': '' })).toBe(1)
  expect(await found({ 'filter[name.last_name][Is not empty]': '' })).toBe(4)
  expect(await found({ 'filter[name.first_name]': 'A*,Z' })).toBe(0)
  await createMany('task', [{ title: 'Call', person_id: made[1]!.id }])
  expect(await found({ 'filter[person_id.name.last_name]': 'Zorn' }, 'task')).toBe(1)
})

test('what is no part is told, with what there is', async () => {
  for (const query of [
    { 'sortOrder[column]': 'name.middle', 'sortOrder[dir]': 'ASC' },
    { 'sortOrder[column]': 'job_title.first_name', 'sortOrder[dir]': 'ASC' },
  ]) {
    const { status, body } = await list('person', query)
    expect([status, body.errors[0].code]).toEqual([400, 'unknown_field'])
    expect(body.errors[0].meta.allowed).toEqual(expect.arrayContaining(['name', 'name.last_name']))
  }
  expect((await list('person', { 'filter[name.middle]': 'x' })).body.errors[0].code).toBe('unknown_field')
})

test('an index of a part is built, used, kept in step, and goes with its field', async () => {
  await app.startJobs()
  const { states, rows, ready } = app.indexes
  const object = await make({ title: { type: 'string', xSvcPrimary: true }, contact: { xSvcType: 'person_name' } })
  const records = await createMany(
    object,
    Array.from({ length: 60 }, (_, at) => ({
      title: String(at),
      contact: { first_name: 'F', last_name: `L${String(at % 20).padStart(2, '0')}` },
    })),
  )
  const sorted = { 'sortOrder[column]': 'contact.last_name', 'sortOrder[dir]': 'ASC', 'page[limit]': 100 }
  const idsOf = async (): Promise<string[]> => (await list(object, sorted)).body.data.map(({ id }: Json) => id)
  const before = await idsOf()
  await ready()
  expect((await states()).filter((one) => one.object === object)).toMatchObject([
    { field: 'contact.last_name', kind: 'text', state: 'ready' },
  ])
  expect(await idsOf()).toEqual(before)
  expect((await list(object, { ...sorted, explain: true }, { as: 'admin' })).body.meta.explain.plan.join()).toMatch(
    /index of contact\.last_name/,
  )
  const { id } = records[0]!
  await patch(object, id, { contact: { first_name: 'F', last_name: 'L99' } })
  expect(await idsOf()).toEqual([...before.filter((one) => one !== id), id])
  expect(await rows(`${object}.contact.`)).toHaveLength(60)
  expect((await edit(object, (properties) => void delete properties.contact)).state).toBe('completed')
  // Builds that began before the change may still read them.
  await app.advance(20_000)
  app.wait(20_000)
  await expect.poll(() => rows(`${object}.contact.`)).toEqual([])
  expect((await list(object, sorted)).body.errors[0].code).toBe('unknown_field')
})
