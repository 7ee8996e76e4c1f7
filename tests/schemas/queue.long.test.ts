import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Answer, Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, faultsOf, schemasOf, schemasPath } from '../harness/schemas.ts'
import { startServer } from '../harness/server-process.ts'

const name = { type: 'string', xSvcPrimary: true }
const reference = (entity: string, field: string): Json => ({
  xSvcRelationship: { kind: 'many-to-one', entity, field },
})

/** An app whose jobs run when a test says so: until then a change that was accepted stays under way. */
async function standing() {
  const app = await startApp()
  const { make, get } = schemasOf(app)
  const { task, end, put } = changesOf(app)
  const addFields = (object: string, attributes: Json): Promise<Answer> =>
    app.api.post(`${schemasPath}/${object}/properties`, { body: { data: { type: 'schema-properties', attributes } } })
  const relate = (object: string, attributes: Json): Promise<Answer> =>
    app.api.post(`${schemasPath}/${object}/relationships`, { body: { data: { type: 'relationship', attributes } } })
  const unrelate = (object: string, field: string): Promise<Answer> =>
    app.api.delete(`${schemasPath}/${object}/relationships/${field}`)
  /** The newest task, which is that of a change whose answer names none. */
  const newestTask = async (): Promise<Json> => (await app.api.get('/workspaces/acme/async-tasks')).body.data[0]
  return { app, make, get, task, end, put, addFields, relate, unrelate, newestTask }
}

test('relationships of one object are removed one by one: each answer is a task that waits its turn', async () => {
  const { app, make, get, end, unrelate } = await standing()
  const other = await make({ name })
  const object = await make({
    name,
    a: reference(other, 'as'),
    b: reference(other, 'bs'),
    c: reference('person', `of_${other}`),
  })
  const record = await recordsOf(app).create(object, {
    name: 'Stays',
    b: (await recordsOf(app).create(other, { name: 'Other' })).id,
  })
  const answers = [
    await unrelate(object, 'a'),
    await unrelate(object, 'b'),
    await unrelate(other, 'as'),
    await unrelate(object, 'c'),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 200])
  for (const { status, body } of answers)
    if (status === 200)
      expect(body.data.attributes).toMatchObject({ state: 'queued', started_at: null, error_code: null })
  for (const { status, body } of answers)
    if (status === 200) expect(await end(body.data.id)).toMatchObject({ state: 'completed', error_code: null })
  expect(Object.keys((await get(object)).properties)).toEqual(['name'])
  expect(Object.keys((await get(other)).properties)).toEqual(['name'])
  expect((await get('person')).properties).not.toHaveProperty(`of_${other}`)
  expect((await recordsOf(app).get(object, record.id)).body.data.attributes.name).toBe('Stays')
  await app.cleaned()
  expect(await app.tableFaults([])).toEqual([])
})

test('what is added waits too, is judged by what the change before leaves, and comes in order', async () => {
  const { make, get, end, unrelate, addFields, relate, newestTask } = await standing()
  const other = await make({ name })
  const object = await make({ name, a: reference(other, 'as') })
  const first = await unrelate(object, 'a')
  // The name is free again by then.
  const added = await addFields(object, { a: { type: 'number' }, z: {} })
  expect([added.status, added.body]).toEqual([202, {}])
  const behind = await newestTask()
  expect(behind).toMatchObject({ type: 'async-task', attributes: { state: 'queued', metadata: { entity: object } } })
  expect((await relate(object, { [object]: { b: reference(other, 'as') } })).status).toBe(202)
  expect(faultsOf(await addFields(object, { z: {} }))).toEqual([
    `/data/attributes/z: ${object} already has a field "z".`,
  ])
  expect((await unrelate(object, 'b')).status).toBe(200)
  expect((await addFields(object, { y: {} })).status).toBe(202)
  expect(Object.keys((await get(object)).properties)).toEqual(['name', 'a'])
  const last = await newestTask()
  for (const { id } of [first.body.data, behind, last]) expect(await end(id)).toMatchObject({ state: 'completed' })
  const { properties } = await get(object)
  expect(Object.keys(properties)).toEqual(['name', 'a', 'z', 'y'])
  expect(properties.a).toEqual({ type: 'number' })
  expect(Object.keys((await get(other)).properties)).toEqual(['name'])
})

test('one that cannot be made any more when its turn comes fails and says why, and the next ones go on', async () => {
  const { app, make, get, end, unrelate, addFields, newestTask } = await standing()
  const object = await make({ name, a: reference('person', `f_${Math.random().toString(36).slice(2)}`) })
  const first = await unrelate(object, 'a')
  expect((await addFields(object, { a: { type: 'number' } })).status).toBe(202)
  const failing = await newestTask()
  expect((await addFields(object, { b: {} })).status).toBe(202)
  const going = await newestTask()
  expect(
    (await app.api.post(`/workspaces/acme/async-tasks/${first.body.data.id}/cancel`)).body.data.attributes.state,
  ).toBe('cancelled')
  expect(await end(failing.id)).toMatchObject({
    state: 'failed',
    error_code: 'validation_failed',
    metadata: { errors: [{ field: 'a', reason: `${object} already has a field "a".`, count: 0, sample_ids: [] }] },
  })
  expect(await end(going.id)).toMatchObject({ state: 'completed' })
  expect(Object.keys((await get(object)).properties)).toEqual(['name', 'a', 'b'])
})

test('one that waits can be cancelled: nothing of it remains', async () => {
  const { app, make, get, end, unrelate, addFields, newestTask } = await standing()
  const object = await make({
    name,
    a: reference('company', `g_${Math.random().toString(36).slice(2)}`),
    b: reference('company', `h_${Math.random().toString(36).slice(2)}`),
  })
  await unrelate(object, 'a')
  const second = await unrelate(object, 'b')
  const { status, body } = await app.api.post(`/workspaces/acme/async-tasks/${second.body.data.id}/cancel`)
  expect([status, body.data.attributes]).toEqual([
    200,
    expect.objectContaining({ state: 'cancelled', error_code: 'cancelled', started_at: null }),
  ])
  expect((await addFields(object, { c: {} })).status).toBe(202)
  await end((await newestTask()).id)
  expect(Object.keys((await get(object)).properties)).toEqual(['name', 'b', 'c'])
  await app.cleaned()
  expect(await app.tableFaults([])).toEqual([])
})

test('objects at both ends are waited for, and others are not', async () => {
  const { app, make, get, end, put, addFields, relate } = await standing()
  const [one, other, third] = [await make({ name }), await make({ name }), await make({ name })]
  const change = await put(other, { ...(await get(other)), properties: { name, v: {} } })
  expect((await relate(one, { [one]: { to: reference(other, 'from') } })).status).toBe(202)
  expect((await get(one)).properties).not.toHaveProperty('to')
  expect((await addFields(third, { free: {} })).status).toBe(202)
  expect((await get(third)).properties).toHaveProperty('free')
  // It would be at `one`, which a change that was accepted before is going to change.
  expect((await addFields(one, { later: {} })).status).toBe(202)
  expect((await get(one)).properties).not.toHaveProperty('later')
  await end(change.body.data.id)
  await app.idle()
  expect(Object.keys((await get(one)).properties)).toEqual(['name', 'to', 'later'])
  expect(Object.keys((await get(other)).properties)).toEqual(['name', 'v', 'from'])
})

test('what answers with its outcome, or names every field, is refused meanwhile', async () => {
  const { app, make, get, unrelate } = await standing()
  const object = await make({
    name,
    stage: { enum: ['A'] },
    a: reference('deal', `i_${Math.random().toString(36).slice(2)}`),
  })
  await unrelate(object, 'a')
  const document = await get(object)
  const options = {
    data: [
      {
        type: 'schema-properties',
        id: document.$id,
        attributes: { stage: { enum: ['B'] } },
        meta: { stage: { enum: 'append' } },
      },
    ],
  }
  const order = { data: { type: 'schema-property-order', attributes: { order: ['stage', 'name', 'a'] } } }
  for (const { status, body, headers } of [
    await app.api.patch(schemasPath, { body: options }),
    await app.api.patch(`${schemasPath}/${object}/fields-order`, { body: order }),
  ]) {
    expect([status, body.errors[0].code, headers['retry-after']]).toEqual([409, 'schema_modification_in_progress', '1'])
  }
  expect((await app.api.delete(`${schemasPath}/objects/${object}`)).body.data.attributes.state).toBe('queued')
  // Nothing can be said about an object that is going to be no more.
  expect((await app.api.delete(`${schemasPath}/objects/${object}`)).status).toBe(409)
  await app.idle()
  expect((await app.api.get(`${schemasPath}/objects/${object}`)).status).toBe(404)
})

test('a server that is killed forgets none of them', { timeout: 300_000 }, async () => {
  const { app, make, get, unrelate, addFields } = await standing()
  const fields = Array.from({ length: 6 }, (_, index) => `r_${index}`)
  const other = await make({ name })
  const object = await make({
    name,
    ...Object.fromEntries(fields.map((field) => [field, reference(other, `back_${field}`)])),
  })
  const tasks = await Promise.all(fields.map(async (field) => (await unrelate(object, field)).body.data.id as string))
  expect((await addFields(object, { last: {} })).status).toBe(202)
  for (let round = 0; round < 3; round++) {
    const server = await startServer(app.databaseUrl)
    await new Promise((resolve) => setTimeout(resolve, 60 * round))
    await server.kill()
    await app.schemaJobs.giveBack()
  }
  const { end } = changesOf(app)
  for (const id of tasks) expect(await end(id, 60_000)).toMatchObject({ state: 'completed' })
  await app.idle()
  expect(Object.keys((await get(object)).properties)).toEqual(['name', 'last'])
  expect(Object.keys((await get(other)).properties)).toEqual(['name'])
})
