import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, faultsOf, schemasOf, schemasPath } from '../harness/schemas.ts'
import { isFull } from '../harness/size.ts'

const app = await startApp()
const { make, get } = schemasOf(app)
const { put } = changesOf(app)
const { create, post, list } = recordsOf(app)

const name = { type: 'string', xSvcPrimary: true }
const add = (object: string, attributes: Json) =>
  app.api.post(`${schemasPath}/${object}/properties`, { body: { data: { type: 'schema-properties', attributes } } })

test('fields are there at once, behind those that were, also where there are records', async () => {
  const object = await make({ name })
  await create(object, { name: 'Before' })
  const answer = await add(object, { z: { enum: ['x', 'y'], default: 'x' }, a: { type: 'number', xSvcUnique: true } })
  expect([answer.status, answer.body]).toEqual([202, {}])
  expect(Object.keys((await get(object)).properties)).toEqual(['name', 'z', 'a'])
  expect((await list(object)).body.data[0].attributes).toMatchObject({ name: 'Before', z: null, a: null })
  expect((await create(object, { a: 3 })).attributes).toMatchObject({ z: 'x', a: 3 })
  expect((await post(object, { a: 3 })).body.errors[0].code).toBe('unique_violation')
})

test('a built-in object takes them too', async () => {
  expect((await add('person', { nickname: { type: 'string' } })).status).toBe(202)
  expect((await create('person', { nickname: 'Al' })).attributes.nickname).toBe('Al')
})

test('a relationship among them is there at both ends', async () => {
  const [one, other] = [await make({ name }), await make({ name })]
  expect(
    (await add(one, { whole: { xSvcRelationship: { kind: 'many-to-one', entity: other, field: 'parts' } } })).status,
  ).toBe(202)
  expect((await get(other)).properties.parts.xSvcRelationship).toEqual({
    kind: 'one-to-many',
    entity: one,
    field: 'whole',
  })
})

test.for<[string, Json, string]>([
  ['a field that is there', { name: { type: 'string' } }, '/data/attributes/name: c_taken already has a field "name".'],
  [
    'a name that is none',
    { 'a-b': {} },
    '/data/attributes/a-b: The name of a field has up to 63 letters, digits and "_", and begins with a letter.',
  ],
  ['an unknown keyword', { a: { max: 3 } }, '/data/attributes/a/max: Unknown member "max".'],
  [
    'a keyword of another type',
    { a: { type: 'number', pattern: 'x' } },
    '/data/attributes/a/pattern: Does not apply to a number field',
  ],
  ['a second primary field', { a: name }, '/data/attributes: One field has xSvcPrimary: true; here name, a have.'],
  [
    'a relationship to nothing',
    { a: { xSvcRelationship: { kind: 'many-to-one', entity: 'persn', field: 'x' } } },
    '/data/attributes/a/xSvcRelationship/entity: There is no object "persn". Did you mean "person"?',
  ],
])('%s is refused, and nothing is changed', async ([_what, attributes, fault]) => {
  if ((await app.api.get(`${schemasPath}/objects/c_taken`)).status === 404) await make({ name }, { name: 'Taken' })
  const before = await get('c_taken')
  const answer = await add('c_taken', attributes)
  expect(answer.status).toBe(422)
  expect(faultsOf(answer)[0]).toContain(fault)
  expect(await get('c_taken')).toEqual(before)
})

test.runIf(isFull())(
  'a field that is added while its object is changed is there afterwards, and none is added to an object that ' +
    'is not there',
  async () => {
    const object = await make({ name })
    const other = await startApp({ beside: app })
    expect((await put(object, { ...(await get(object)), properties: { name, a: {} } })).status).toBe(200)
    const { status, body } = await other.api.post(`${schemasPath}/${object}/properties`, {
      body: { data: { type: 'schema-properties', attributes: { b: {} } } },
    })
    expect([status, body]).toEqual([202, {}])
    await app.idle()
    expect(Object.keys((await get(object)).properties)).toEqual(['name', 'a', 'b'])
    expect((await add('c_nothing', { a: {} })).status).toBe(404)
  },
)
