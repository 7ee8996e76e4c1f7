import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, faultsOf, schemasOf } from '../harness/schemas.ts'
import { nameOnly } from './name-only.ts'

const app = await startApp()
const { api } = app
const { make, get } = schemasOf(app)
const { replace, edit } = changesOf(app)
const { post, create, createMany, patch, list } = recordsOf(app)
const record = recordsOf(app).get

describe('fields', () => {
  test('one that is added is empty, one that is dropped is gone, and comes back without its values', async () => {
    const object = await make({ ...nameOnly, code: { type: 'string', xSvcUnique: true }, level: { enum: ['x', 'y'] } })
    const { id } = await create(object, { name: 'A', code: 'k', level: 'x' })
    await edit(object, (properties) => {
      properties.added = { type: 'number' }
      delete properties.code
      delete properties.level
    })
    expect(Object.keys((await record(object, id)).body.data.attributes)).toEqual([
      '_id',
      'name',
      'added',
      '_created_at',
      '_created_by',
      '_updated_at',
      '_updated_by',
    ])
    expect(faultsOf(await patch(object, id, { code: 'k' }))[0]).toMatch(/has no attribute "code"/)
    expect((await list(object, { 'filter[code]': 'k' })).status).toBe(400)
    await edit(object, (properties) => {
      properties.code = { type: 'string', xSvcUnique: true }
      properties.level = { type: 'number' }
    })
    expect((await record(object, id)).body.data.attributes).toMatchObject({ name: 'A', code: null, level: null })
    expect((await list(object, { 'filter[level]': 'null' })).body.data).toHaveLength(1)
    expect((await patch(object, id, { code: 'k', level: 3 })).status).toBe(200)
    expect((await post(object, { code: 'K' })).body.errors[0].code).toBe('unique_violation')
  })

  test('one that is renamed keeps its values, its place in sorts, its unique claims and its links', async () => {
    const object = await make({
      title: { type: 'string', xSvcPrimary: true },
      code: { type: 'string', xSvcUnique: true },
      boss: { xSvcRelationship: { kind: 'many-to-one', entity: 'person', field: 'bossed' } },
    })
    const person = await create('person', { job_title: 'Boss' })
    const { id } = await create(object, { title: 'B', code: 'k', boss: person.id })
    await create(object, { title: 'A' })
    await edit(object, (_properties, document) => {
      document.properties = Object.fromEntries(
        Object.entries<Json>(document.properties).map(([field, schema]) => [
          `new_${field}`,
          { ...schema, xSvcPrevName: field },
        ]),
      )
    })
    expect(Object.keys((await get(object)).properties)).toEqual(['new_title', 'new_code', 'new_boss'])
    expect(JSON.stringify(await get(object))).not.toContain('xSvcPrevName')
    expect((await get('person')).properties.bossed.xSvcRelationship).toEqual({
      kind: 'one-to-many',
      entity: object,
      field: 'new_boss',
    })
    expect((await record(object, id)).body.data).toMatchObject({
      attributes: { new_title: 'B', new_code: 'k' },
      relationships: { new_boss: { data: { id: person.id } } },
    })
    expect(
      (await list(object, { 'sortOrder[column]': 'new_title', 'sortOrder[dir]': 'ASC' })).body.data.map(
        (one: Json) => one.attributes.new_title,
      ),
    ).toEqual(['A', 'B'])
    expect((await list(object, { 'filter[new_boss.job_title]': 'Boss' })).body.data).toHaveLength(1)
    expect((await post(object, { new_code: 'k' })).body.errors[0].meta).toMatchObject({ field: 'new_code' })
    await api.delete(`/workspaces/acme/objects/person/records/${person.id}`, { as: 'member' })
    expect((await record(object, id)).body.data.attributes.new_boss).toBeNull()
  })

  test('two may change their names with each other, and a new one may take a name that is free now', async () => {
    const object = await make({ ...nameOnly, a: { type: 'string' }, b: { type: 'string' } })
    const { id } = await create(object, { a: 'was a', b: 'was b' })
    await edit(object, (_properties, document) => {
      document.properties = {
        ...nameOnly,
        a: { type: 'string', xSvcPrevName: 'b' },
        b: { type: 'string', xSvcPrevName: 'a' },
      }
    })
    expect((await record(object, id)).body.data.attributes).toMatchObject({ a: 'was b', b: 'was a' })
    await edit(object, (_properties, document) => {
      document.properties = { ...nameOnly, b: { type: 'string' }, c: { type: 'string', xSvcPrevName: 'a' } }
    })
    await edit(object, (properties) => (properties.a = { type: 'string' }))
    expect((await record(object, id)).body.data.attributes).toMatchObject({ a: null, b: 'was a', c: 'was b' })
  })

  test('a renaming that is sent again is done already', async () => {
    const object = await make({ ...nameOnly, a: { type: 'string' } })
    const document = { ...(await get(object)), properties: { ...nameOnly, b: { type: 'string', xSvcPrevName: 'a' } } }
    await replace(object, document)
    expect(await replace(object, document)).toMatchObject({ state: 'completed' })
  })

  test('another one becomes primary', async () => {
    const object = await make({ name: { type: 'string', xSvcPrimary: true }, code: { type: 'string' } })
    await createMany(object, [{ name: 'A', code: 'z' }, { name: 'B', code: 'y' }, { name: 'C' }])
    await edit(object, (properties) => {
      delete properties.name.xSvcPrimary
      properties.code.xSvcPrimary = true
    })
    await create(object, { name: 'D', code: 'x' })
    const sorted = async (column: string) =>
      (await list(object, { 'sortOrder[column]': column, 'sortOrder[dir]': 'ASC' })).body.data.map(
        (one: Json) => one.attributes.name,
      )
    expect(await sorted('code')).toEqual(['D', 'B', 'A', 'C'])
    expect(await sorted('name')).toEqual(['A', 'B', 'C', 'D'])
  })
})

describe('relationships', () => {
  test('come and go on both sides', async () => {
    const [one, other] = [await make(nameOnly), await make(nameOnly)]
    await edit(
      one,
      (properties) =>
        (properties.parts = {
          title: 'Parts',
          xSvcRelationship: { kind: 'one-to-many', entity: other, field: 'whole' },
        }),
    )
    expect((await get(other)).properties.whole.xSvcRelationship).toEqual({
      kind: 'many-to-one',
      entity: one,
      field: 'parts',
    })
    const whole = await create(one, { name: 'Whole' })
    const part = await create(other, { name: 'Part', whole: whole.id })
    await edit(one, (properties) => delete properties.parts)
    expect(Object.keys((await get(other)).properties)).toEqual(['name'])
    expect(Object.keys((await record(other, part.id)).body.data.relationships)).toEqual([])
    await edit(
      other,
      (properties) => (properties.whole = { xSvcRelationship: { kind: 'many-to-one', entity: one, field: 'parts' } }),
    )
    expect((await record(other, part.id)).body.data.attributes.whole).toBeNull()
    await api.delete(`/workspaces/acme/objects/${one}/records/${whole.id}`, { as: 'member' })
    expect((await record(other, part.id)).headers['etag']).toBe('"1"')
  })

  test('with the object itself are renamed at both ends at once', async () => {
    const object = await make(
      { ...nameOnly, parent: { xSvcRelationship: { kind: 'many-to-one', entity: 'c_tree', field: 'children' } } },
      { name: 'Tree', plural: 'Trees' },
    )
    const root = await create(object, { name: 'Root' })
    const leaf = await create(object, { name: 'Leaf', parent: root.id })
    await edit(object, (properties, document) => {
      document.properties = {
        ...nameOnly,
        above: { ...properties.parent, xSvcPrevName: 'parent' },
        below: { ...properties.children, xSvcPrevName: 'children' },
      }
    })
    const { above, below } = (await get(object)).properties
    expect([above.xSvcRelationship.field, below.xSvcRelationship.field]).toEqual(['below', 'above'])
    expect((await record(object, leaf.id)).body.data.relationships.above.data.id).toBe(root.id)
  })
})
