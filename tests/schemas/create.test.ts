import { describe, expect, test } from 'vitest'
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

describe('what is refused', () => {
  const name = { type: 'string', xSvcPrimary: true }
  test.for<[string, Json, string]>([
    ['an object that exists', { name: 'Twice', plural: 'x' }, '/name: There is an object "c_twice" already.'],
    [
      'a name of nothing',
      { name: '!!!', plural: 'x' },
      '/name: Must have a letter from a to z or a digit, of which the name of the object is made.',
    ],
    ['a name that is too long', { name: 'x'.repeat(33), plural: 'x' }, '/name: Must have at most 32 characters.'],
    [
      'a reserved field',
      { name: 'A', plural: 'x', properties: { name, _x: {} } },
      '/properties/_x: Names that begin with "_" are reserved for system attributes.',
    ],
    [
      'a field that is no name',
      { name: 'A', plural: 'x', properties: { name, 'a.b': {} } },
      '/properties/a.b: A field is named with up to 63 letters, digits and "_", beginning with a letter.',
    ],
    [
      'a field of a dangerous name',
      { name: 'A', plural: 'x', properties: { name, constructor: {} } },
      '/properties/constructor: This name means something else in too many programs.',
    ],
    [
      'an unknown keyword',
      { name: 'A', plural: 'x', properties: { name, a: { type: 'number', exclusiveMinimum: 3 } } },
      '/properties/a/exclusiveMinimum: Unknown member "exclusiveMinimum". A field takes: type, title, description, examples, enum, const, format, pattern, minLength, maxLength, minimum, maximum, multipleOf, default, items, uniqueItems, minItems, maxItems, readOnly, deprecated, xSvcType, xSvcPrimary, xSvcUnique, xSvcSearchable, xSvcRelationship, xSvcEnumMetadata, xSvcPresentation, oneOf, properties.',
    ],
    [
      'a keyword of another type',
      { name: 'A', plural: 'x', properties: { name, a: { type: 'number', minLength: 3 } } },
      '/properties/a/minLength: Does not apply to a number field, which takes: type, title, description, examples, deprecated, readOnly, xSvcType, xSvcPresentation, default, const, enum, minimum, maximum, multipleOf, xSvcUnique.',
    ],
    [
      'an unknown type',
      { name: 'A', plural: 'x', properties: { name, a: { type: 'text' } } },
      '/properties/a/type: Must be "string", "number", "integer", "boolean", "object", "array", "null", "date" or an array.',
    ],
    [
      'a JSON type of another field type',
      { name: 'A', plural: 'x', properties: { name, a: { type: 'string', xSvcType: 'currency' } } },
      '/properties/a/type: A currency field has the JSON type number or integer, with or without null.',
    ],
    [
      'two primary fields',
      { name: 'A', plural: 'x', properties: { name, b: name } },
      '/properties: One field has xSvcPrimary: true; here name, b have.',
    ],
    [
      'a primary number',
      { name: 'A', plural: 'x', properties: { a: { type: 'number', xSvcPrimary: true } } },
      '/properties/a/xSvcPrimary: Does not apply to a number field, which takes: type, title, description, examples, deprecated, readOnly, xSvcType, xSvcPresentation, default, const, enum, minimum, maximum, multipleOf, xSvcUnique.',
    ],
    [
      'no select without options',
      { name: 'A', plural: 'x', properties: { name, a: { xSvcType: 'select' } } },
      '/properties/a/enum: A select needs its options.',
    ],
    [
      'an option twice',
      { name: 'A', plural: 'x', properties: { name, a: { xSvcType: 'select', enum: ['a', 'a'] } } },
      '/properties/a/enum/1: This option is there already.',
    ],
    [
      'an option that is no text',
      { name: 'A', plural: 'x', properties: { name, a: { xSvcType: 'select', enum: ['a', 1] } } },
      '/properties/a/enum/1: An option is a text of 1 to 200 characters.',
    ],
    [
      'metadata of no option',
      { name: 'A', plural: 'x', properties: { name, a: { enum: ['a'], xSvcEnumMetadata: { b: {} } } } },
      '/properties/a/xSvcEnumMetadata/b: Is no option of "enum".',
    ],
    [
      'a default that is no value',
      { name: 'A', plural: 'x', properties: { name, a: { type: 'number', minimum: 3, default: 2 } } },
      '/properties/a/default: Must be at least 3.',
    ],
    [
      'a default of nothing',
      { name: 'A', plural: 'x', properties: { name, a: { type: 'string', default: null } } },
      '/properties/a/default: Must not be empty.',
    ],
    [
      'a default of a unique field',
      { name: 'A', plural: 'x', properties: { name, a: { type: 'string', xSvcUnique: true, default: 'a' } } },
      '/properties/a/default: A unique field has no default: no two records share a value.',
    ],
    [
      'a choice in another form',
      { name: 'A', plural: 'x', properties: { name, a: { xSvcType: 'timestamp', const: '2026-01-01T00:00:00Z' } } },
      '/properties/a/const: Must be written as it is stored: "2026-01-01T00:00:00.000Z".',
    ],
    [
      'bounds the wrong way round',
      { name: 'A', plural: 'x', properties: { name, a: { type: 'number', minimum: 3, maximum: 2 } } },
      '/properties/a/maximum: Must be at least 3, which is minimum.',
    ],
    [
      'a length beyond the type',
      { name: 'A', plural: 'x', properties: { name, a: { xSvcType: 'text', maxLength: 20_000 } } },
      '/properties/a/maxLength: Must be at most 10000.',
    ],
    [
      'a pattern with lookaround',
      { name: 'A', plural: 'x', properties: { name, a: { type: 'string', pattern: '(?=x)y' } } },
      '/properties/a/pattern: Must be a regular expression in the syntax of RE2, without lookaround and back references: error parsing regexp: invalid or unsupported Perl syntax: `(?=`.',
    ],
    [
      'a pattern that costs too much',
      { name: 'A', plural: 'x', properties: { name, a: { type: 'string', pattern: '((a{0,30}){0,30}b{0,100})c' } } },
      '/properties/a/pattern: Is too large for texts of up to 10000 characters: shorten it, or set a smaller maxLength.',
    ],
    [
      'another format',
      { name: 'A', plural: 'x', properties: { name, a: { xSvcType: 'date', format: 'time' } } },
      '/properties/a/format: A date field has the format "date".',
    ],
    [
      'twins in a collection',
      { name: 'A', plural: 'x', properties: { name, a: { xSvcType: 'labels', uniqueItems: false } } },
      '/properties/a/uniqueItems: Must be true: an item stands once in a collection.',
    ],
    [
      'items that are numbers',
      { name: 'A', plural: 'x', properties: { name, a: { xSvcType: 'labels', items: { type: 'number' } } } },
      '/properties/a/items/type: The items are texts: "string".',
    ],
    [
      'a reference to nothing',
      { name: 'A', plural: 'x', properties: { name, a: { xSvcType: 'reference' } } },
      '/properties/a/xSvcRelationship: A reference needs {kind, entity, field}.',
    ],
    [
      'a relationship to no object',
      {
        name: 'A',
        plural: 'x',
        properties: { name, a: { xSvcRelationship: { kind: 'many-to-one', entity: 'compani', field: 'as' } } },
      },
      '/properties/a/xSvcRelationship/entity: There is no object "compani". Did you mean "company"?',
    ],
    [
      'a way back that is taken',
      {
        name: 'A',
        plural: 'x',
        properties: { name, a: { xSvcRelationship: { kind: 'many-to-one', entity: 'company', field: 'people' } } },
      },
      '/properties/a/xSvcRelationship/field: company has a field "people" already.',
    ],
    [
      'references in read-only records',
      {
        name: 'A',
        plural: 'x',
        properties: { name, a: { xSvcRelationship: { kind: 'one-to-many', entity: 'user', field: 'a_id' } } },
      },
      '/properties/a/xSvcRelationship/kind: user records are read-only, so the relationship is many-to-one or many-to-many.',
    ],
    [
      'a field that leads to itself',
      {
        name: 'A',
        plural: 'x',
        properties: { name, a: { xSvcRelationship: { kind: 'many-to-many', entity: 'c_a', field: 'a' } } },
      },
      '/properties/a/xSvcRelationship/field: A relationship of an object with itself needs a second field for the way back.',
    ],
    [
      'ends that do not fit',
      {
        name: 'A',
        plural: 'x',
        properties: {
          name,
          a: { xSvcRelationship: { kind: 'many-to-one', entity: 'c_a', field: 'b' } },
          b: { type: 'string' },
        },
      },
      '/properties/a/xSvcRelationship/field: Must lead to a field that leads back: {"kind":"one-to-many","entity":"c_a","field":"a"}.',
    ],
  ])('%s', async ([_what, body, fault]) => {
    if (fault.includes('c_twice')) await post({ name: 'Twice', plural: 'x' })
    await app.events()
    const before = (await api.get(schemasPath)).body
    const answer = await post(body)
    expect(faultsOf(answer)).toContain(fault)
    expect([answer.status, new Set(answer.body.errors.map(({ code }: Json) => code))]).toEqual([
      422,
      new Set(['invalid_body']),
    ])
    expect((await api.get(schemasPath)).body).toEqual(before)
    expect(await app.events()).toEqual([])
  })

  test('more than 500 fields', async () => {
    const properties = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, { type: 'string' }]))
    expect(faultsOf(await post({ name: 'Wide', plural: 'x', properties }))).toEqual([
      '/properties: An object has at most 500 fields; these are 501.',
    ])
    delete properties['f0']
    expect((await post({ name: 'Wide', plural: 'x', properties })).status).toBe(201)
  })
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
