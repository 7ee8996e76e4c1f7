import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { commentsOf } from '../harness/comments.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'
import { changesOf, objectPath, schemasOf } from '../harness/schemas.ts'
import { isFull } from '../harness/size.ts'

const app = await startApp({ fieldIndexThreshold: 5 })
const { api } = app
const { make, get } = schemasOf(app)
const { end } = changesOf(app)
const records = recordsOf(app)

const name = { type: 'string', xSvcPrimary: true }
const remove = (object: string, as: 'admin' | 'member' = 'admin') => api.delete(objectPath(object), { as })

/** Tables that tell what has happened, and what was answered: they keep it, for a while or for good. */
const memories = ['activity', 'event', 'outbox', 'idempotency', 'schema_version', 'async_task', 'job']

test('an object goes with its records, and no table keeps a row of it', async () => {
  const object = await make({
    name,
    code: { type: 'string', xSvcUnique: true },
    size: { type: 'number' },
    boss: { xSvcRelationship: { kind: 'many-to-one', entity: 'person', field: 'bossed' } },
    friends: { xSvcRelationship: { kind: 'many-to-many', entity: 'person', field: 'befriended' } },
  })
  const person = await records.create('person', {})
  const made = await records.createMany(
    object,
    Array.from({ length: 12 }, (_, number) => ({
      name: `N ${number}`,
      code: `c${number}`,
      size: number,
      boss: person.id,
    })),
  )
  const [first, second, third, fourth] = made.map(({ id }) => id) as [string, string, string, string]
  expect(
    (
      await api.post(`${recordsPath(object)}/${first}/relationships/friends`, {
        as: 'member',
        body: { data: [{ type: 'person', id: person.id }] },
      })
    ).status,
  ).toBe(200)
  await commentsOf(app).create(object, first)
  await records.remove(object, [second])
  await records.merge(object, third, [fourth])
  await records.list(object, { 'filter[size]': 3, 'filter[name][Contains]': 'N 1' })
  await app.startJobs()
  await app.indexes.ready()
  expect(await app.indexes.rows(object)).not.toEqual([])
  const referring = (await records.get('person', person.id)).headers['etag']

  const { status, body } = await remove(object)
  expect([status, body.data.type, body.data.attributes.metadata]).toEqual([200, 'async-task', { entity: object }])
  expect(await end(body.data.id)).toMatchObject({ state: 'completed', error_code: null })
  expect((await api.get(objectPath(object))).status).toBe(404)
  for (const answer of [
    await records.list(object),
    await records.get(object, first),
    await records.post(object, {}),
    await records.restore(object, [second]),
  ])
    expect(answer.status).toBe(404)
  expect(Object.keys((await get('person')).properties)).not.toContain('bossed')
  expect((await records.get('person', person.id)).headers['etag'], 'those it was related to are not changed').toBe(
    referring,
  )

  await app.cleaned()
  const rows = (await app.rows(await app.workspaceId('acme'))).filter(
    (row) => !memories.some((table) => row.startsWith(`${table} `)),
  )
  expect(rows.filter((row) => row.includes(object) || made.some(({ id }) => row.includes(id)))).toEqual([])
  for (const { id } of made) expect(await app.remains(id)).toEqual({})
  expect(await app.indexes.rows(object)).toEqual([])
})

test('one of the same name that is made later has nothing of it', async () => {
  const object = await make({ name, code: { type: 'string', xSvcUnique: true } }, { name: 'Again' })
  const { id } = await records.create(object, { name: 'Old', code: 'k' })
  await end((await remove(object)).body.data.id)
  await make({ name, code: { type: 'string', xSvcUnique: true } }, { name: 'Again' })
  expect((await records.list(object)).body).toMatchObject({ data: [], meta: { total_records: 0 } })
  expect((await records.get(object, id)).status).toBe(404)
  const made = await records.create(object, { name: 'New', code: 'k' })
  await app.cleaned()
  expect((await records.list(object, { 'filter[code]': 'k' })).body.data.map((one: Json) => one.id)).toEqual([made.id])
  expect(await records.count(object)).toBe(1)
})

test('but for those that every workspace has, and by admins alone', async () => {
  const builtin = await remove('person')
  expect([builtin.status, builtin.body.errors[0].code, builtin.body.errors[0].detail]).toEqual([
    403,
    'forbidden',
    'person is built in and cannot be deleted.',
  ])
  expect((await remove('c_nothing')).status).toBe(404)
  const object = await make({ name })
  expect((await remove(object, 'member')).status).toBe(403)
})

test.runIf(isFull())('while it, or one that it is related to, is being changed, it waits for its turn', async () => {
  const still = await startApp()
  const { make: makeHere, get: getHere } = schemasOf(still)
  const one = await makeHere({ name })
  const other = await makeHere({
    name,
    one: { xSvcRelationship: { kind: 'many-to-one', entity: one, field: 'others' } },
  })
  expect((await still.api.put(objectPath(one), { body: await getHere(one) })).status).toBe(200)
  for (const object of [one, other]) {
    const { status, body } = await still.api.delete(objectPath(object))
    expect([status, body.data.attributes.state]).toEqual([200, 'queued'])
    expect((await still.api.get(objectPath(object))).status).toBe(200)
  }
  await still.idle()
  for (const object of [one, other]) expect((await still.api.get(objectPath(object))).status).toBe(404)
})
