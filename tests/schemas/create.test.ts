import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { faultsOf, schemasOf, schemasPath } from '../harness/schemas.ts'

const app = await startApp()
const { api } = app
const { post, make, get } = schemasOf(app)
const { create } = recordsOf(app)

const committee = {
  name: 'Standing committee',
  plural: 'Standing committees',
  description: 'Of either house',
  icon: 'gavel',
  backgroundColor: '#223344',
}

test('an object is there at once, with its document and its records', async () => {
  const properties = {
    rank: { type: 'integer', title: 'Rank', minimum: 1 },
    name: { xSvcType: 'text', xSvcPrimary: true },
    founded: { type: ['string', 'null'], format: 'date' },
  }
  const { status, body } = await post({ ...committee, properties })
  expect(status).toBe(201)
  expect(body.data).toEqual({
    type: 'schema',
    id: `${app.origin}/schemas/entities/c_standing_committee`,
    attributes: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `${app.origin}/schemas/entities/c_standing_committee`,
      title: 'c_standing_committee',
      type: 'object',
      xSvcNamespace: 'objects',
      xSvcLabel: { singular: 'Standing committee', plural: 'Standing committees' },
      xSvcAIDescription: 'Of either house',
      properties,
      xSvcAccess: { default: 'edit' },
      xSvcPresentation: { icon: 'gavel', backgroundColor: '#223344' },
    },
  })
  expect((await get('c_standing_committee')).properties).toEqual(properties)
  expect(
    Object.keys(
      (await api.get(schemasPath)).body.data.find((one: Json) => one.attributes.title === 'c_standing_committee')
        .attributes.properties,
    ),
  ).toEqual(['rank', 'name', 'founded'])
  const record = await create('c_standing_committee', { name: 'Ways and Means', rank: 3, founded: '1865-03-02' })
  expect(record).toMatchObject({
    type: 'c_standing_committee',
    attributes: { name: 'Ways and Means', rank: 3, founded: '1865-03-02' },
  })
  expect(Object.keys(record.attributes)).toEqual([
    '_id',
    'rank',
    'name',
    'founded',
    '_created_at',
    '_created_by',
    '_updated_at',
    '_updated_by',
  ])
})

test('members and keywords stand in the order in which they were written, on every surface', async () => {
  const properties = {
    z: { title: 'Z', xSvcType: 'text', description: 'd', type: ['string', 'null'], xSvcPrimary: true },
    a: { enum: ['y', 'x'], type: 'string', xSvcEnumMetadata: { y: { rank: 2, color: 'red' }, x: { color: 'blue' } } },
  }
  const written = JSON.stringify(properties)
  const first = await post({ properties, plural: 'Orders', name: 'Order one' })
  expect(JSON.stringify(first.body.data.attributes.properties)).toBe(written)
  const second = await app
    .trpc()
    .schemas.create.mutate({ workspace: 'acme', body: { properties, plural: 'Orders', name: 'Order two' } as never })
  expect(JSON.stringify(second.data.attributes.properties)).toBe(written)
  const third = await app.http.send({
    method: 'POST',
    url: `${app.origin}/actions/schemas.create`,
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${app.credentials.cast.tokens.admin}` },
    body: JSON.stringify({ workspace: 'acme', body: { properties, plural: 'Orders', name: 'Order three' } }),
  })
  expect(JSON.stringify(third.body.data.attributes.properties)).toBe(written)
  for (const object of ['c_order_one', 'c_order_two', 'c_order_three'])
    expect(JSON.stringify((await get(object)).properties)).toBe(written)
})

test('wrapped bodies are taken as well', async () => {
  const { status, body } = await post({
    data: { type: 'schema', attributes: { name: 'Wrapped', plural: 'Wrapped ones' } },
  })
  expect([status, body.data.attributes.title]).toEqual([201, 'c_wrapped'])
  expect(body.data.attributes.properties).toEqual({
    name: { type: ['string', 'null'], title: 'Name', xSvcType: 'text', xSvcPrimary: true },
  })
  expect(
    faultsOf(
      await post({
        data: {
          type: 'schema',
          attributes: { name: 'Wrapped again', plural: 'x', properties: { a: { minimum: 'x' } } },
        },
      }),
    )[0],
  ).toMatch(/^\/data\/attributes\/properties\/a\/minimum: /)
})

test.for([
  ['Größere  Projekte!', 'c_grossere_projekte'],
  ['ÅNGSTRÖM 2', 'c_angstrom_2'],
  ['c_x', 'c_c_x'],
  ['  Spaces  ', 'c_spaces'],
])('the name "%s" becomes %s', async ([name, slug]) => {
  expect((await post({ name, plural: 'x' })).body.data.attributes.title).toBe(slug)
})

test('a primary field is added where none is named', async () => {
  expect((await get(await make({ rank: { type: 'number' } }))).properties).toEqual({
    name: { type: ['string', 'null'], title: 'Name', xSvcType: 'text', xSvcPrimary: true },
    rank: { type: 'number' },
  })
  expect((await get(await make({ name: { type: 'string' } }))).properties).toEqual({
    name: { type: 'string', xSvcPrimary: true },
  })
  expect((await get(await make({ code: { type: 'string', xSvcPrimary: true } }))).properties).toEqual({
    code: { type: 'string', xSvcPrimary: true },
  })
})

test('a relationship is there on both sides at once', async () => {
  const object = await make(
    {
      members: { xSvcRelationship: { kind: 'many-to-many', entity: 'person', field: 'things' }, title: 'Members' },
      seat: { xSvcRelationship: { kind: 'many-to-one', entity: 'company', field: 'seats' } },
      parent: { xSvcRelationship: { kind: 'many-to-one', entity: 'c_tree', field: 'children' } },
    },
    { name: 'Tree', plural: 'Trees' },
  )
  expect(object).toBe('c_tree')
  expect((await get('person')).properties.things).toEqual({
    type: ['array', 'null'],
    title: 'Trees',
    xSvcType: 'reference',
    xSvcRelationship: { kind: 'many-to-many', entity: 'c_tree', field: 'members' },
  })
  expect((await get('company')).properties.seats.xSvcRelationship).toEqual({
    kind: 'one-to-many',
    entity: 'c_tree',
    field: 'seat',
  })
  expect((await get('c_tree')).properties.children).toEqual({
    type: ['array', 'null'],
    title: 'Trees',
    xSvcType: 'reference',
    xSvcRelationship: { kind: 'one-to-many', entity: 'c_tree', field: 'parent' },
  })
  const root = await create('c_tree', { name: 'Root' })
  const leaf = await create('c_tree', { name: 'Leaf', parent: root.id })
  expect(leaf.relationships.parent).toEqual({ data: { type: 'c_tree', id: root.id } })
})

test('tells the schemas’ feed, each object that it touches, once', async () => {
  await app.events()
  await make(
    { rooms: { xSvcRelationship: { kind: 'many-to-many', entity: 'meeting', field: 'houses' } } },
    { name: 'House', plural: 'Houses' },
  )
  const events = await app.events()
  expect(
    events.map(({ type, object, payload }) => [
      type,
      object,
      payload.entity,
      payload.diff.map((change: Json) => [change.op, ...change.path]),
    ]),
  ).toEqual([
    [
      'schema.created',
      'schema',
      'c_house',
      [
        ['add', 'name'],
        ['add', 'rooms'],
      ],
    ],
    ['schema.updated', 'schema', 'meeting', [['add', 'houses']]],
  ])
})

test('of many that make one object at once, one does; different ones are all made', async () => {
  const same = await Promise.all(Array.from({ length: 8 }, () => post({ name: 'Race', plural: 'Races' })))
  expect(same.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    201,
    ...Array.from({ length: 7 }, () => 422),
  ])
  const others = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      post({
        name: `Race ${index}`,
        plural: 'Races',
        properties: { car: { xSvcRelationship: { kind: 'many-to-one', entity: 'company', field: `races_${index}` } } },
      }),
    ),
  )
  expect(others.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201))
  expect(Object.keys((await get('company')).properties).filter((name) => name.startsWith('races_'))).toHaveLength(8)
})
