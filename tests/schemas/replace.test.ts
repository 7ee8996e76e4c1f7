import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'
import { nameOnly } from './name-only.ts'

const app = await startApp()
const { api } = app
const { make, get } = schemasOf(app)
const { put, replace, edit, end, task } = changesOf(app)
const { count } = recordsOf(app)

test('what was put is what is answered, in the order in which it was written', async () => {
  const object = await make(nameOnly)
  const document = {
    xSvcAccess: { default: 'view' },
    properties: {
      z: { xSvcType: 'select', enum: ['b', 'a'], title: 'Z' },
      name: { title: 'The name', type: 'string', xSvcPrimary: true },
      a: { type: ['null', 'integer'], maximum: 3 },
    },
    required: ['z', 'name'],
    $id: `https://elsewhere.example/schemas/entities/${object}`,
    title: object,
    xSvcLabel: { plural: 'Others', singular: 'Other' },
    description: 'Words',
    xSvcPresentation: { icon: 'star' },
    type: 'object',
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    xSvcNamespace: 'objects',
  }
  expect(await replace(object, document)).toMatchObject({
    state: 'completed',
    type: 'schema_modification',
    error_code: null,
    metadata: { entity: object },
    progress: 1,
    total: 1,
  })
  expect(JSON.stringify(await get(object))).toBe(
    JSON.stringify({ ...document, $id: `${app.origin}/schemas/entities/${object}` }),
  )
})

test('a task begins with nothing but the time at which it was asked for', async () => {
  const object = await make(nameOnly)
  const { status, body } = await put(object, await get(object))
  expect(status).toBe(200)
  const { attributes } = body.data
  expect(body.data).toEqual({
    type: 'async-task',
    id: attributes._id,
    attributes: {
      _id: expect.any(String),
      user_id: app.userIds.admin,
      type: 'schema_modification',
      state: 'queued',
      progress: 0,
      total: null,
      metadata: { entity: object },
      queued_at: attributes._created_at,
      started_at: null,
      completed_at: null,
      failed_at: null,
      error_code: null,
      _created_at: expect.any(String),
      _updated_at: attributes._created_at,
    },
  })
  const done = await end(attributes._id)
  expect(done).toMatchObject({ state: 'completed', progress: 1, total: 1, error_code: null, failed_at: null })
  expect(done.started_at <= done.completed_at).toBe(true)
})

test('a document that changes nothing emits no event', async () => {
  const object = await make({ ...nameOnly, n: { type: 'number', minimum: 1 } })
  await app.events()
  await replace(object, await get(object))
  expect(await app.events()).toEqual([])
})

test('parts that every object has may be left out of the document', async () => {
  const object = await make(nameOnly)
  const before = await get(object)
  expect(
    await replace(object, { $id: before.$id, properties: { ...nameOnly, more: { type: 'string' } } }),
  ).toMatchObject({ state: 'completed' })
  expect(await get(object)).toEqual({
    $schema: before.$schema,
    $id: before.$id,
    title: object,
    type: 'object',
    xSvcNamespace: 'objects',
    xSvcLabel: before.xSvcLabel,
    properties: { ...nameOnly, more: { type: 'string' } },
  })
})

test('a change is told once it is in force, field by field', async () => {
  const object = await make({ ...nameOnly, a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string' } })
  await app.events()
  await edit(object, (properties, document) => {
    document.properties = {
      ...nameOnly,
      a: { ...properties.a, title: 'A' },
      d: { ...properties.b, xSvcPrevName: 'b' },
      e: { type: 'number' },
    }
    document.xSvcAIDescription = 'Said'
  })
  const [event, ...others] = await app.events()
  expect(others).toEqual([])
  expect(event).toMatchObject({
    type: 'schema.updated',
    object: 'schema',
    actor: { id: app.userIds.admin },
    payload: { entity: object },
  })
  expect(event!.payload.diff).toEqual([
    { op: 'update', path: ['a'], val: { type: 'string', title: 'A' }, oldVal: { type: 'string' } },
    { op: 'update', path: ['b'], val: { type: 'string', xSvcPrevName: 'b' }, oldVal: { type: 'string' } },
    { op: 'add', path: ['e'], val: { type: 'number' }, oldVal: null },
    { op: 'delete', path: ['c'], val: null, oldVal: { type: 'string' } },
    { op: 'update', path: [], val: { xSvcAIDescription: 'Said' }, oldVal: { xSvcAIDescription: null } },
  ])
})

test('tasks are listed, the newest first, by their state', async () => {
  const object = await make(nameOnly)
  const { _id: id } = await edit(object, (properties) => (properties.x = { type: 'string' }))
  const { body } = await api.get('/workspaces/acme/async-tasks', { as: 'viewer', query: { 'page[limit]': 2 } })
  expect(body.data[0].id).toBe(id)
  expect(body.meta.total_records).toBeGreaterThan(2)
  const failed = await api.get('/workspaces/acme/async-tasks', { query: { 'filter[state]': 'failed' } })
  expect(failed.body.data.every((one: Json) => one.attributes.state === 'failed')).toBe(true)
  expect((await task(id)).attributes.state).toBe('completed')
  expect(await count(object)).toBe(0)
})
