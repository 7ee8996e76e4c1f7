import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, objectPath, schemasOf } from '../harness/schemas.ts'
import { listsOf } from './lists.ts'

const app = await startApp()
const { make, get } = schemasOf(app)
const { edit } = changesOf(app)
const records = recordsOf(app)
const lists = listsOf(app)
await app.startJobs()

const name = { type: 'string', xSvcPrimary: true }

/** Changes the fields of an object, and waits until that is in force and what follows from it is done. */
async function change(object: string, alter: (properties: Json) => void): Promise<void> {
  expect((await edit(object, alter)).state).toBe('completed')
  await app.idle()
}

const attributesOf = async (object: string, list: string): Promise<Json> =>
  (await lists.get(object, list)).body.data.attributes
const statusOf = async (object: string, list: string): Promise<string> =>
  (await attributesOf(object, list)).list_evaluation_status

async function published(object: string, query: Json): Promise<string> {
  const { id } = await lists.create(object, { query })
  expect((await lists.publish(object, id)).status).toBe(201)
  await expect.poll(() => statusOf(object, id)).toBe('idle')
  return id
}

test('a query follows the fields that it names under their new names', async () => {
  const whole = await make({ name, region: { type: 'string' } })
  const object = await make({
    name,
    size: { type: 'number' },
    note: { type: 'string' },
    owner: { xSvcType: 'person_name' },
    whole: { xSvcRelationship: { kind: 'many-to-one', entity: whole, field: 'parts' } },
  })
  const south = await records.create(whole, { region: 'South' })
  const [one] = await records.createMany(object, [
    { size: 5, note: 'x', owner: { first_name: 'Ada', last_name: 'Lovelace' }, whole: south.id },
    { size: 1 },
  ])
  const sql =
    `SELECT o.size, "o$whole:__object__" FROM ${object} o JOIN ${whole} w ON o.whole = w._id WHERE o.size > 2 ` +
    `AND "size" < 9 AND o."owner.last_name" = 'lovelace' AND (w.region = 'south') ORDER BY note`
  const bySql = await published(object, { sql })
  const byFilter = await published(object, {
    filter: {
      and: [
        { field: 'size', op: 'gt', value: 2 },
        { not: { field: `${object}.whole.region`, op: 'Is', value: 'North' } },
        { field: 'owner.last_name', op: 'Is', value: 'lovelace' },
      ],
    },
  })
  await change(object, (properties) => {
    properties.note_size = { ...properties.size, xSvcPrevName: 'size' }
    properties.size = { ...properties.note, xSvcPrevName: 'note' }
    properties.chief = { ...properties.owner, xSvcPrevName: 'owner' }
    properties.of = { ...properties.whole, xSvcPrevName: 'whole' }
    for (const gone of ['note', 'owner', 'whole']) delete properties[gone]
  })
  await change(whole, (properties) => {
    properties.where = { ...properties.region, xSvcPrevName: 'region' }
    delete properties.region
  })
  expect((await attributesOf(object, bySql)).query).toEqual({
    sql:
      `SELECT o."note_size", "o$of:__object__" FROM ${object} o JOIN ${whole} w ON o."of" = w._id WHERE ` +
      `o."note_size" > 2 AND "note_size" < 9 AND o."chief.last_name" = 'lovelace' AND (w."where" = 'south') ` +
      'ORDER BY "size"',
  })
  expect((await attributesOf(object, byFilter)).query).toEqual({
    filter: {
      and: [
        { field: 'note_size', op: 'gt', value: 2 },
        { not: { field: `${object}.of.where`, op: 'Is', value: 'North' } },
        { field: 'chief.last_name', op: 'Is', value: 'lovelace' },
      ],
    },
  })
  for (const list of [bySql, byFilter]) {
    expect((await lists.members(object, list)).ids).toEqual([one.id])
    await expect.poll(() => statusOf(object, list)).toBe('idle')
  }
})

test('a list whose field is dropped says so wherever it is read, and works again with another query', async () => {
  const object = await make({ name, size: { type: 'number' }, note: { type: 'string' } })
  await records.create(object, { size: 1, note: 'x' })
  const bySize = await published(object, { sql: `SELECT * FROM ${object} WHERE size = 1` })
  const byNote = await published(object, { filter: { field: 'note', op: 'Is', value: 'x' } })
  const hidden = (
    await lists.create(object, { query: { filter: { field: 'size', op: 'Is', value: 1 } } }, { as: 'admin' })
  ).id
  const document = await get(object)
  delete document.properties.size
  const planned = async (as: 'admin' | 'viewer') =>
    (await app.api.post(`${objectPath(object)}/plan`, { as, body: document })).body.data.attributes.breaks
  const broken = await planned('admin')
  expect([new Set(broken.lists), broken.workflows]).toEqual([new Set([bySize, hidden]), []])
  expect(await planned('viewer'), 'who may not see a list learns nothing of it').toEqual({ lists: [], workflows: [] })
  await change(object, (properties) => void delete properties.size)
  expect([await statusOf(object, bySize), await statusOf(object, byNote)]).toEqual([
    'error',
    expect.stringMatching(/idle|evaluating/),
  ])
  const read = await lists.records(object, bySize)
  expect([read.status, read.body.errors[0].code, read.body.errors[0].detail]).toEqual([
    409,
    'list_broken',
    expect.stringContaining('has no column "size"'),
  ])
  await lists.unpublish(object, bySize)
  expect((await lists.publish(object, bySize)).body.errors[0].code).toBe('list_broken')
  expect(
    (await lists.patch(object, bySize, { query: { sql: `SELECT * FROM ${object}` } })).body.data.attributes
      .list_evaluation_status,
  ).toBe('idle')
  expect((await lists.members(object, bySize)).total).toBe(1)
})

test('an option that goes is cleared in filters, and equals nothing in SQL', async () => {
  const object = await make({
    name,
    stage: { enum: ['A', 'B', 'C'] },
    tags: { xSvcType: 'multi_select', enum: ['x', 'y'] },
  })
  const made = await records.createMany(object, [
    { stage: 'A', tags: { items: ['x'] } },
    { stage: 'B', tags: { items: ['y'] } },
    { stage: 'C' },
  ])
  const [, b, c] = made.map(({ id }) => id) as [string, string, string]
  const of = (filter: Json) => lists.create(object, { query: { filter } })
  const never = { field: '_id', op: 'One of', value: [] }
  const cases: readonly (readonly [before: Json, after: Json, ids: readonly string[]])[] = [
    [{ field: 'stage', op: 'One of', value: ['A', 'B'] }, { field: 'stage', op: 'One of', value: ['B'] }, [b]],
    [{ field: 'stage', op: 'in', value: ['A', 'C'] }, { field: 'stage', op: 'in', value: ['C'] }, [c]],
    [{ field: 'stage', op: 'Is', value: 'A' }, never, []],
    [
      {
        or: [
          { field: 'stage', op: 'Is', value: 'A' },
          { field: 'stage', op: 'Is', value: 'C' },
        ],
      },
      { or: [never, { field: 'stage', op: 'Is', value: 'C' }] },
      [c],
    ],
    [{ field: 'stage', op: 'Is not', value: 'A' }, { field: '_id', op: 'Is not empty' }, made.map(({ id }) => id)],
    [{ field: 'tags', op: 'Contains', value: 'x' }, never, []],
    [{ field: 'tags', op: 'Contains', value: ['x', 'y'] }, { field: 'tags', op: 'Contains', value: ['y'] }, [b]],
  ]
  const ids = await Promise.all(cases.map(async ([before]) => (await of(before)).id as string))
  const bySql = (
    await lists.create(object, { query: { sql: `SELECT * FROM ${object} WHERE stage IN ('A', 'C') OR stage = 'A'` } })
  ).id
  await change(object, (properties) => {
    properties.stage.enum = ['B', 'C']
    properties.tags.enum = ['y']
  })
  for (const [index, [before, after, expected]] of cases.entries()) {
    expect((await attributesOf(object, ids[index]!)).query, JSON.stringify(before)).toEqual({ filter: after })
    expect((await lists.members(object, ids[index]!)).ids, JSON.stringify(before)).toEqual(expected)
  }
  expect((await lists.members(object, bySql)).ids).toEqual([c])
  const again = await lists.patch(object, bySql, {
    query: { sql: `SELECT * FROM ${object} WHERE stage = 'A' LIMIT 1` },
  })
  expect([again.status, again.body.errors[0].meta]).toEqual([
    422,
    expect.objectContaining({ token: "'A'", allowed: ['B', 'C'] }),
  ])
})

test('the lists of an object go with it', async () => {
  const object = await make({ name })
  const person = await records.create(object, {})
  const { id } = await lists.create(object)
  await lists.add(object, id, [person.id])
  expect((await app.api.delete(objectPath(object))).status).toBe(200)
  await app.idle()
  expect(
    (await lists.all({ 'filter[type]': 'static,dynamic', 'page[limit]': 1000 })).body.data.some(
      (list: Json) => list.id === id,
    ),
  ).toBe(false)
  await app.cleaned()
  await expect
    .poll(async () =>
      (await app.rows(await app.workspaceId('acme'))).filter(
        (row) => row.includes(id) && !/^(event|outbox|activity|deleted_list|job) /.test(row),
      ),
    )
    .toEqual([])
})

test('a column without its table gets it where a joined table comes to have one of the same name', async () => {
  const whole = await make({ name, region: { type: 'string' } })
  const object = await make({
    name,
    size: { type: 'number' },
    whole: { xSvcRelationship: { kind: 'many-to-one', entity: whole, field: 'parts' } },
  })
  const south = await records.create(whole, { region: 'South' })
  const rows = [{ size: 5, whole: south.id }, { size: 1, whole: south.id }, { size: 5 }]
  const [one] = await records.createMany(object, rows)
  const sql =
    `SELECT o.* FROM ${object} o JOIN ${whole} w ON o.whole = w._id ` +
    `WHERE size > 2 AND region = 'South' ORDER BY size`
  const list = await published(object, { sql })
  const there = async () => [await statusOf(object, list), (await lists.members(object, list)).ids]
  await expect.poll(there).toEqual(['idle', [one!.id]])
  await change(object, (properties) => {
    properties.region = { ...properties.size, xSvcPrevName: 'size' }
    delete properties.size
  })
  await expect.poll(there).toEqual(['idle', [one!.id]])
  await change(object, (properties) => {
    properties.size = { ...properties.region, xSvcPrevName: 'region' }
    delete properties.region
  })
  await change(whole, (properties) => {
    properties.size = { type: 'number' }
  })
  await expect.poll(there).toEqual(['idle', [one!.id]])
})
