import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, unknownId } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'

// Its jobs do not run before they are told to: until then its tasks wait.
const app = await startApp()
const { api } = app
const { make, get } = schemasOf(app)
const { put, edit } = changesOf(app)
const records = recordsOf(app)

const tasks = '/workspaces/acme/async-tasks'
const name = { type: 'string', xSvcPrimary: true }
const cancel = (id: string) => api.post(`${tasks}/${id}/cancel`)
const states = async (state: string): Promise<string[]> =>
  (await api.get(tasks, { query: { 'filter[state]': state } })).body.data.map(({ id }: Json) => id)

/** Asks for a change; the id of its task. */
async function change(object: string, properties: Json): Promise<string> {
  const { status, body } = await put(object, { ...(await get(object)), properties })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.data.id
}

test('one that waits can be cancelled: nothing of its change remains, and others may change the object', async () => {
  const object = await make({ name, v: { type: 'string' } })
  const before = await get(object)
  const id = await change(object, { name, v: { type: 'string', xSvcUnique: true } })
  expect(await states('queued')).toContain(id)
  const second = await put(object, { ...before, properties: { name } })
  expect([second.status, second.body.errors[0].code, second.headers['retry-after']]).toEqual([
    409,
    'schema_modification_in_progress',
    '1',
  ])
  const { status, body } = await cancel(id)
  expect([status, body.data.attributes]).toEqual([
    200,
    expect.objectContaining({
      state: 'cancelled',
      error_code: 'cancelled',
      started_at: null,
      completed_at: null,
      failed_at: expect.any(String),
    }),
  ])
  expect(await states('cancelled')).toEqual([id])
  expect(await states('failed')).not.toContain(id)
  expect(await get(object)).toEqual(before)
  await app.startJobs()
  await records.createMany(object, [{ v: 'same' }, { v: 'same' }])
  await edit(object, (properties) => (properties.w = {}))
  expect(await get(object)).toEqual({ ...before, properties: { ...before.properties, w: {} } })
  expect((await api.get(`${tasks}/${id}`)).body).toEqual(body)
})

test('one that has ended is answered as it is', async () => {
  const object = await make({ name })
  const { _id: id } = await edit(object, (properties) => (properties.x = {}))
  expect(await states('completed')).toContain(id)
  const { status, body } = await cancel(id)
  expect([status, body.data.attributes.state]).toEqual([200, 'completed'])
  expect(Object.keys((await get(object)).properties)).toEqual(['name', 'x'])
})

const unique = (properties: Json) => void (properties.v.xSvcUnique = true)

test('a field becomes unique once no two records share a value, however often it was refused before', async () => {
  const object = await make({ name, v: { type: 'string' } })
  const [twin] = await records.createMany(object, [{ v: 'a' }, { v: 'a' }, { v: 'b' }])
  for (let round = 0; round < 3; round++) {
    const document = await get(object)
    document.properties.v.xSvcUnique = true
    const { status, body } = await put(object, document)
    expect([status, body.errors[0].code]).toEqual([409, 'unique_violation'])
  }
  await records.patch(object, twin.id, { v: 'c' })
  expect(await edit(object, unique)).toMatchObject({ state: 'completed' })
  await app.cleaned()
  for (const v of ['a', 'b', 'c'])
    expect((await records.post(object, { v })).body.errors[0].code).toBe('unique_violation')
  expect((await records.post(object, { v: 'd' })).status).toBe(201)
})

test('all of them are listed, by offset, the newest first, for members and viewers too', async () => {
  const object = await make({ name })
  for (const field of ['a', 'b', 'c']) await edit(object, (properties) => (properties[field] = {}))
  const whole = (await api.get(tasks, { as: 'viewer' })).body
  expect(whole.meta).toEqual({ total_records: whole.data.length, total_pages: 1, offset: 0, limit: 50 })
  const ids = whole.data.map(({ id }: Json) => id)
  expect(ids).toEqual(ids.toSorted().toReversed())
  const { body } = await api.get(tasks, { query: { 'page[limit]': 2, 'page[offset]': 1 } })
  expect(body.data.map(({ id }: Json) => id)).toEqual(ids.slice(1, 3))
  expect((await api.get(body.links.next)).body.data.map(({ id }: Json) => id)).toEqual(ids.slice(3, 5))
  expect((await api.get(body.links.prev)).body.data[0].id).toBe(ids[0])
  expect((await api.get('/workspaces/other/async-tasks', { as: 'stranger' })).body.data).toEqual([])
})

test('who is no admin cancels none, and no other workspace knows of one', async () => {
  const object = await make({ name })
  const { _id: id } = await edit(object, (properties) => (properties.x = {}))
  expect((await api.post(`${tasks}/${id}/cancel`, { as: 'member' })).status).toBe(403)
  for (const path of [`${tasks}/${unknownId}`, `${tasks}/nothing`]) expect((await api.get(path)).status).toBe(404)
  expect((await cancel('nothing')).status).toBe(404)
  expect((await api.get(`/workspaces/other/async-tasks/${id}`, { as: 'stranger' })).status).toBe(404)
  const { status, body } = await api.get(tasks, { query: { 'filter[state]': 'over' } })
  expect([status, body.errors[0].source]).toEqual([400, { parameter: 'filter[state]' }])
})

test('they are kept for seven days', async () => {
  const object = await make({ name })
  const { _id: old } = await edit(object, (properties) => (properties.x = {}))
  await app.advance(4 * 86_400_000)
  const { _id: young } = await edit(object, (properties) => (properties.y = {}))
  await app.advance(4 * 86_400_000)
  await expect.poll(async () => (await api.get(`${tasks}/${old}`)).status).toBe(404)
  expect((await api.get(`${tasks}/${young}`)).status).toBe(200)
})
