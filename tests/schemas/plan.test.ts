import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, faultsOf, objectPath, schemasOf } from '../harness/schemas.ts'

const app = await startApp()
const { make, get } = schemasOf(app)
const { replace } = changesOf(app)
const { createMany } = recordsOf(app)

const name = { type: 'string', xSvcPrimary: true }
const plan = (object: string, body: Json, as: 'admin' | 'viewer' = 'admin') =>
  app.api.post(`${objectPath(object)}/plan`, { as, body })

async function changed(object: string, change: (properties: Json, document: Json) => unknown): Promise<Json> {
  const document = await get(object)
  change(document.properties, document)
  return document
}

test('says what would change, what would be lost and what is in the way, and writes nothing', async () => {
  const other = await make({ name })
  const object = await make({
    name,
    size: { type: 'number' },
    code: { type: 'string' },
    note: { type: 'string' },
    stage: { enum: ['A', 'B'] },
    tags: { xSvcType: 'multi_select', enum: ['x', 'y'] },
    whole: { xSvcRelationship: { kind: 'many-to-one', entity: other, field: 'parts' } },
  })
  const made = await createMany(object, [
    { size: 1, code: 'k', note: 'n', stage: 'A', tags: { items: ['x', 'y'] } },
    { size: 5, code: 'k', stage: 'B', tags: { items: ['x'] } },
    { size: 9, note: 'm' },
  ])
  await app.idle()
  const before = await app.rows(await app.workspaceId('acme'))
  const document = await changed(object, (properties) => {
    properties.size.maximum = 4
    properties.code.xSvcUnique = true
    properties.title = { ...properties.note, xSvcPrevName: 'note' }
    delete properties.note
    properties.stage.enum = ['A']
    properties.tags.enum = ['y']
    delete properties.whole
  })
  const { status, body } = await plan(object, document)
  expect([status, body.data.type, body.data.id]).toEqual([
    200,
    'schema-plan',
    `${app.origin}/schemas/entities/${object}`,
  ])
  expect(body.data.attributes).toEqual({
    valid: false,
    changes: [
      { op: 'update', path: [object, 'size'], val: { type: 'number', maximum: 4 }, oldVal: { type: 'number' } },
      { op: 'update', path: [object, 'code'], val: { type: 'string', xSvcUnique: true }, oldVal: { type: 'string' } },
      { op: 'update', path: [object, 'stage'], val: { enum: ['A'] }, oldVal: { enum: ['A', 'B'] } },
      {
        op: 'update',
        path: [object, 'tags'],
        val: { xSvcType: 'multi_select', enum: ['y'] },
        oldVal: { xSvcType: 'multi_select', enum: ['x', 'y'] },
      },
      {
        op: 'update',
        path: [object, 'note'],
        val: { type: 'string', xSvcPrevName: 'note' },
        oldVal: { type: 'string' },
      },
      { op: 'delete', path: [object, 'whole'], val: null, oldVal: expect.anything() },
      {
        op: 'update',
        path: [object],
        val: { order: ['name', 'size', 'code', 'stage', 'tags', 'title'] },
        oldVal: { order: ['name', 'size', 'code', 'note', 'stage', 'tags', 'whole'] },
      },
      { op: 'delete', path: [other, 'parts'], val: null, oldVal: expect.anything() },
    ],
    lost: [
      { field: `${object}.whole`, reason: 'The field is removed.', count: 0 },
      { field: `${object}.stage`, reason: 'The option "B" is removed.', count: 1 },
      { field: `${object}.tags`, reason: 'The option "x" is removed.', count: 2 },
    ],
    violations: [
      { field: 'size', reason: 'Must be at most 4.', count: 2, sample_ids: [made[1].id, made[2].id] },
      { field: 'code', reason: 'Another record also has this value.', count: 1, sample_ids: [made[1].id] },
    ],
    examined_records: 3,
    total_records: 3,
    breaks: { lists: [], workflows: [] },
  })
  expect(await app.rows(await app.workspaceId('acme'))).toEqual(before)
})

test('says of a change that is in the way of nothing that it is valid, and then it is', async () => {
  const object = await make({ name, size: { type: 'number' } })
  await createMany(object, [{ size: 3 }, { size: 4 }])
  const document = await changed(object, (properties) => (properties.size.minimum = 3))
  expect((await plan(object, document, 'viewer')).body.data.attributes).toMatchObject({
    valid: true,
    lost: [],
    violations: [],
    examined_records: 2,
  })
  expect(await replace(object, document)).toMatchObject({ state: 'completed' })
  expect((await plan(object, document)).body.data.attributes).toMatchObject({
    valid: true,
    changes: [],
    examined_records: 0,
    total_records: 2,
  })
})

test('refuses the documents that a replacement refuses', async () => {
  const object = await make({ name })
  expect(
    faultsOf(await plan(object, await changed(object, (properties) => (properties.a = { type: 'text' }))))[0],
  ).toContain('/properties/a/type: ')
  expect(faultsOf(await plan(object, { $id: 'x/schemas/entities/person', properties: { name } }))).toEqual([
    `/$id: Must end in /schemas/entities/${object}, the object in the path.`,
  ])
  expect((await plan('nothing', { $id: 'x/schemas/entities/nothing', properties: { name } })).status).toBe(404)
})

test('of an object to come it says what would be added, also to others, and what is wrong', async () => {
  const other = await make({ name })
  const document = (properties: Json) => ({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `${app.origin}/schemas/entities/c_to_come`,
    type: 'object',
    xSvcNamespace: 'objects',
    properties,
  })
  const whole = { xSvcRelationship: { kind: 'many-to-one', entity: other, field: 'parts' } }
  const { status, body } = await plan('c_to_come', document({ name, whole }))
  expect(status).toBe(200)
  expect(body.data.attributes).toMatchObject({
    valid: true,
    changes: [
      { op: 'add', path: ['c_to_come', 'name'], val: name, oldVal: null },
      { op: 'add', path: ['c_to_come', 'whole'], val: whole, oldVal: null },
      { op: 'add', path: [other, 'parts'], oldVal: null },
    ],
    total_records: 0,
  })
  const wrong = await plan('c_to_come', document({ size: { type: 'number' } }))
  expect([wrong.status, faultsOf(wrong)]).toEqual([
    422,
    ['/properties: One field has xSvcPrimary: true; here none has.'],
  ])
  expect((await plan('project', document({ name }))).status).toBe(404)
  expect((await app.api.get(objectPath('c_to_come'))).status).toBe(404)
})
