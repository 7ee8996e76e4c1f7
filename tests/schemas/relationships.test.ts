import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'
import { changesOf, faultsOf, schemasOf, schemasPath } from '../harness/schemas.ts'

const app = await startApp()
const { api } = app
const { make, get } = schemasOf(app)
const { end } = changesOf(app)
const { create, get: record } = recordsOf(app)

const name = { type: 'string', xSvcPrimary: true }
const add = (object: string, attributes: Json) =>
  api.post(`${schemasPath}/${object}/relationships`, { body: { data: { type: 'relationship', attributes } } })
const remove = (object: string, field: string) => api.delete(`${schemasPath}/${object}/relationships/${field}`)
const related = (object: string, id: string, field: string) =>
  api.get(`${recordsPath(object)}/${id}/relationships/${field}`, { as: 'member' })
const link = (object: string, id: string, field: string, data: Json) =>
  api.patch(`${recordsPath(object)}/${id}/relationships/${field}`, { as: 'member', body: { data } })

const to = (kind: string, entity: string, field: string) => ({ xSvcRelationship: { kind, entity, field } })

describe('a relationship is added', () => {
  test('by both of its ends, as they were written', async () => {
    const object = await make({ name })
    const answer = await add(object, {
      [object]: {
        members: {
          title: 'Members',
          xSvcRelationship: { kind: 'many-to-many', entity: 'person', field: `of_${object}` },
        },
      },
      person: {
        [`of_${object}`]: {
          title: 'Committees',
          xSvcRelationship: { kind: 'many-to-many', entity: object, field: 'members' },
        },
      },
    })
    expect([answer.status, answer.body]).toEqual([202, {}])
    expect((await get(object)).properties.members).toMatchObject({
      title: 'Members',
      xSvcRelationship: { kind: 'many-to-many', entity: 'person', field: `of_${object}` },
    })
    expect((await get('person')).properties[`of_${object}`]).toMatchObject({
      title: 'Committees',
      xSvcRelationship: { kind: 'many-to-many', entity: object, field: 'members' },
    })
    const [person, committee] = [await create('person', {}), await create(object, { name: 'A' })]
    expect((await link(object, committee.id, 'members', [{ type: 'person', id: person.id }])).status).toBe(200)
    expect((await related('person', person.id, `of_${object}`)).body.data.map(({ id }: Json) => id)).toEqual([
      committee.id,
    ])
  })

  test.for(['many-to-one', 'one-to-many', 'many-to-many', 'one-to-one'] as const)(
    'by one end, %s: the other is made',
    async (kind) => {
      const [one, other] = [await make({ name }), await make({ name }, { plural: 'Others' })]
      expect(
        (await add(one, { [one]: { to: { xSvcRelationship: { kind, entity: other, field: 'back' } } } })).status,
      ).toBe(202)
      const mirrored = {
        'many-to-one': 'one-to-many',
        'one-to-many': 'many-to-one',
        'many-to-many': 'many-to-many',
        'one-to-one': 'one-to-one',
      }
      expect((await get(other)).properties.back.xSvcRelationship).toEqual({
        kind: mirrored[kind],
        entity: one,
        field: 'to',
      })
      const [a, b] = [await create(one, { name: 'A' }), await create(other, { name: 'B' })]
      const answer = await link(one, a.id, 'to', [{ type: other, id: b.id }])
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      expect((await related(other, b.id, 'back')).body.data.map(({ id }: Json) => id)).toEqual([a.id])
    },
  )

  test('of an object with itself', async () => {
    const object = await make({ name })
    const ends = {
      above: { xSvcRelationship: { kind: 'many-to-one', entity: object, field: 'below' } },
      below: { title: 'Below', xSvcRelationship: { kind: 'one-to-many', entity: object, field: 'above' } },
    }
    expect((await add(object, { [object]: ends })).status).toBe(202)
    expect((await get(object)).properties.below).toMatchObject({ title: 'Below' })
    const root = await create(object, { name: 'Root' })
    const leaf = await create(object, { name: 'Leaf', above: root.id })
    expect((await related(object, root.id, 'below')).body.data.map(({ id }: Json) => id)).toEqual([leaf.id])
  })

  test.for<[string, Json, string]>([
    [
      'no end in the object of the path',
      { company: { x: to('many-to-one', 'person', 'y') } },
      '/data/attributes: One end must be a field of c_own, the object in the path.',
    ],
    [
      'an end that is none',
      { c_own: { a: { type: 'string' } } },
      '/data/attributes/c_own/a/xSvcRelationship: An end of a relationship requires {kind, entity, field}.',
    ],
    [
      'ends of two relationships',
      { c_own: { a: to('many-to-one', 'person', 'x') }, person: { y: to('one-to-many', 'c_own', 'a') } },
      '/data/attributes/person/y: Must be person.x, where the other end leads to.',
    ],
    [
      'an end that leads elsewhere',
      { c_own: { a: to('many-to-one', 'person', 'x') }, person: { x: to('one-to-many', 'c_own', 'b') } },
      '/data/attributes/person/x/xSvcRelationship: Must lead to c_own.a, the other end.',
    ],
    [
      'an unknown object',
      { c_own: { a: to('many-to-one', 'person', 'x') }, c_non: { x: to('one-to-many', 'c_own', 'a') } },
      '/data/attributes/c_non: There is no object "c_non".',
    ],
    [
      'kinds that do not fit',
      { c_own: { a: to('many-to-one', 'person', 'x') }, person: { x: to('many-to-one', 'c_own', 'a') } },
      '/data/attributes/person/x/xSvcRelationship/kind: Must be "one-to-many", the other side of many-to-one.',
    ],
    [
      'three ends',
      {
        c_own: { a: to('many-to-one', 'person', 'x') },
        person: { x: to('one-to-many', 'c_own', 'a'), y: to('one-to-many', 'c_own', 'a') },
      },
      '/data/attributes: A relationship has two ends.',
    ],
    [
      'a field that is there',
      { c_own: { name: to('many-to-one', 'person', 'x') } },
      '/data/attributes/c_own/name: c_own already has a field "name".',
    ],
    [
      'a way back that is taken',
      { c_own: { a: to('many-to-one', 'person', 'job_title') } },
      '/data/attributes/c_own/a/xSvcRelationship/field: person already has a field "job_title".',
    ],
  ])('but not with %s', async ([_what, attributes, fault]) => {
    if ((await api.get(`${schemasPath}/objects/c_own`)).status === 404) await make({ name }, { name: 'Own' })
    const before = [await get('c_own'), await get('person')]
    const answer = await add('c_own', attributes)
    expect(answer.status).toBe(422)
    expect(faultsOf(answer)).toContainEqual(expect.stringContaining(fault))
    expect([await get('c_own'), await get('person')]).toEqual(before)
  })
})

describe('a relationship is removed', () => {
  test.for(['whole', 'parts'])('with its links, from both ends, by %s', async (field) => {
    const other = await make({ name })
    const one = await make({
      name,
      whole: { xSvcRelationship: { kind: 'many-to-one', entity: other, field: 'parts' } },
    })
    const whole = await create(other, { name: 'Whole' })
    const part = await create(one, { name: 'Part', whole: whole.id })
    const { status, body } = await remove(field === 'whole' ? one : other, field)
    expect([status, body.data.type, body.data.attributes.metadata.entity]).toEqual([
      200,
      'async-task',
      field === 'whole' ? one : other,
    ])
    expect(await end(body.data.id)).toMatchObject({ state: 'completed' })
    expect([Object.keys((await get(one)).properties), Object.keys((await get(other)).properties)]).toEqual([
      ['name'],
      ['name'],
    ])
    expect((await record(one, part.id)).body.data).toMatchObject({ relationships: {} })
    expect((await related(other, whole.id, 'parts')).status).toBe(404)
    await app.cleaned()
    expect(await app.links(part.id)).toEqual([])
    expect(await app.remains(part.id)).toMatchObject({ record: 1 })
  })

  test('but for one of those that every workspace has, one that is none, and one that is being removed', async () => {
    const builtin = await remove('person', 'company_id')
    expect([builtin.status, builtin.body.errors[0].detail]).toEqual([
      403,
      '"company_id" is a system field and cannot be removed.',
    ])
    for (const field of ['job_title', 'nothing', '__proto__']) expect((await remove('person', field)).status).toBe(404)
    // Where no job is at work, so that the change lasts.
    const still = await startApp()
    const { make: makeHere } = schemasOf(still)
    const other = await makeHere({ name })
    const one = await makeHere({
      name,
      whole: { xSvcRelationship: { kind: 'many-to-one', entity: other, field: 'parts' } },
    })
    const removeHere = (object: string, field: string) =>
      still.api.delete(`${schemasPath}/${object}/relationships/${field}`)
    expect((await removeHere(one, 'whole')).status).toBe(200)
    // By the time of its turn it is gone, from either end.
    for (const [object, field] of [
      [other, 'parts'],
      [one, 'whole'],
    ] as const)
      expect((await removeHere(object, field)).status).toBe(404)
  })
})
