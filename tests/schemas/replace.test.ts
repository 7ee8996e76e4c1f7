import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { activitiesOf } from '../harness/activities.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, faultsOf, objectPath, schemasOf } from '../harness/schemas.ts'

const app = await startApp()
const { api } = app
const { make, get } = schemasOf(app)
const { put, replace, edit, end, task } = changesOf(app)
const { post, create, createMany, patch, list, count } = recordsOf(app)
const record = recordsOf(app).get

const name = { type: 'string', xSvcPrimary: true }
const nameOnly = { name }

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

test('a document that changes nothing tells nobody', async () => {
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

const tighten = async (schema: Json, tighter: Json, values: readonly Json[], required = false) => {
  const object = await make({ ...nameOnly, v: schema })
  const made = await createMany(
    object,
    values.map((v) => ({ name: 'x', ...(v !== undefined && { v }) })),
  )
  const before = await get(object)
  const attributes = await edit(object, (properties, document) => {
    properties.v = tighter
    if (required) document.required = ['v']
  })
  if (attributes.state === 'failed') expect(await get(object)).toEqual(before)
  return { object, made, attributes }
}

describe('rules', () => {
  test.for<[string, Json, Json, Json[], Json[], string]>([
    ['minimum', { type: 'number' }, { type: 'number', minimum: 3 }, [3, 4], [1, 2.5], 'Must be at least 3.'],
    ['maximum', { type: 'number', maximum: 9 }, { type: 'number', maximum: 3 }, [3], [9], 'Must be at most 3.'],
    ['multipleOf', { type: 'number' }, { type: 'number', multipleOf: 0.5 }, [1.5], [1.2], 'Must be a multiple of 0.5.'],
    ['integer', { type: 'number' }, { type: 'integer' }, [1], [1.5], 'Must be a whole number.'],
    [
      'minLength',
      { type: 'string' },
      { type: 'string', minLength: 2 },
      ['ab'],
      ['a'],
      'Must be at least 2 characters.',
    ],
    ['maxLength', { type: 'string' }, { type: 'string', maxLength: 1 }, ['a'], ['ab'], 'Must be at most 1 characters.'],
    ['pattern', { type: 'string' }, { type: 'string', pattern: '^a' }, ['ab'], ['ba'], 'Must match the pattern ^a'],
    [
      'format',
      { type: 'string' },
      { type: 'string', format: 'email' },
      ['a@example.com'],
      ['x'],
      'Must be an e-mail address.',
    ],
    ['const', { type: 'string' }, { type: 'string', const: 'a' }, ['a'], ['b'], 'Must be "a".'],
    ['enum of a text', { xSvcType: 'text' }, { xSvcType: 'text', enum: ['a'] }, ['a'], ['b'], 'Must be one of: a.'],
    [
      'minItems',
      { xSvcType: 'labels' },
      { xSvcType: 'labels', minItems: 2 },
      [{ items: ['a', 'b'] }],
      [{ items: ['a'] }],
      'Must have at least 2 items.',
    ],
    [
      'maxItems',
      { xSvcType: 'labels' },
      { xSvcType: 'labels', maxItems: 1 },
      [{ items: ['a'] }],
      [{ items: ['a', 'b'] }],
      'Must have at most 1 items.',
    ],
    [
      'items',
      { xSvcType: 'labels' },
      { xSvcType: 'labels', items: { maxLength: 1 } },
      [{ items: ['a'] }],
      [{ items: ['ab', 'cd'] }],
      'Must be at most 1 characters.',
    ],
    [
      'text to select',
      { type: 'string' },
      { xSvcType: 'select', enum: ['a', 'b'] },
      ['a'],
      ['c'],
      'Must be one of: a, b.',
    ],
    [
      'text to date',
      { type: 'string' },
      { xSvcType: 'date' },
      ['2026-01-31'],
      ['31 January'],
      'Must be a date as YYYY-MM-DD.',
    ],
    ['text to number', { type: 'string' }, { type: 'number' }, [], ['5'], 'Must be a number.'],
    ['number to rating', { type: 'number' }, { xSvcType: 'rating' }, [5], [6], 'Must be a whole number from 0 to 5.'],
    ['JSON to text', { xSvcType: 'json' }, { type: 'string' }, ['a'], [{ a: 1 }], 'Must be a string.'],
  ])(
    '%s: values that fit stay, others make it fail with their number, and nothing is changed',
    async ([_keyword, schema, tighter, good, bad, reason]) => {
      const fits = await tighten(schema, tighter, [...good, undefined])
      expect(fits.attributes).toMatchObject({ state: 'completed', error_code: null, progress: fits.attributes.total })
      expect((await get(fits.object)).properties.v).toEqual(tighter)
      expect(faultsOf(await post(fits.object, { v: bad[0] })), 'the new rule holds').not.toEqual([])
      const { object, made, attributes } = await tighten(schema, tighter, [...good, ...bad, ...bad])
      expect(attributes).toMatchObject({ state: 'failed', error_code: 'validation_failed', completed_at: null })
      const expected = {
        field: 'v',
        reason,
        count: bad.length * 2,
        sample_ids: made.slice(good.length).map(({ id }) => id),
      }
      if (bad.length === 1) expect(attributes.metadata.errors).toEqual([expected])
      else expect(attributes.metadata.errors[0]).toEqual(expected)
      expect((await post(object, { v: bad[0] })).status, 'the old rules hold').toBe(201)
    },
  )

  test('a text becomes a timestamp only if it is written as one is stored: nothing is converted', async () => {
    expect(
      (await tighten({ type: 'string' }, { xSvcType: 'timestamp' }, ['2026-01-31T00:00:00.000Z'])).attributes.state,
    ).toBe('completed')
    const { attributes } = await tighten({ type: 'string' }, { xSvcType: 'timestamp' }, ['2026-01-31T00:00:00Z'])
    expect(attributes.metadata.errors[0].reason).toBe(
      'Must be written as a timestamp is stored, for example "2026-01-31T00:00:00.000Z".',
    )
  })

  test('what becomes required must be there', async () => {
    expect((await tighten({ type: 'string' }, { type: 'string' }, ['a', 'b'], true)).attributes.state).toBe('completed')
    const { made, attributes } = await tighten(
      { type: 'string', title: 'V' },
      { type: 'string', title: 'V' },
      ['a', undefined],
      true,
    )
    expect(attributes.metadata.errors).toEqual([
      { field: 'v', reason: 'V is required.', count: 1, sample_ids: [made[1].id] },
    ])
  })

  test('a required field is asked for at creation and stays', async () => {
    const object = await make(nameOnly)
    await edit(object, (properties, document) => {
      properties.code = { type: 'string', title: 'Code' }
      properties.stage = { enum: ['a'], default: 'a' }
      document.required = ['code', 'stage']
    })
    expect(faultsOf(await post(object, {}))).toEqual(['/data/attributes/code: Code is required.'])
    const { id, attributes } = await create(object, { code: 'x' })
    expect(attributes.stage).toBe('a')
    expect(faultsOf(await patch(object, id, { code: null }))).toEqual(['/data/attributes/code: Code is required.'])
    expect(faultsOf(await patch(object, id, { code: '' }))).toEqual(['/data/attributes/code: Code is required.'])
  })

  test('rules that become looser look at nobody', async () => {
    const { attributes } = await tighten(
      { type: 'number', maximum: 3, minimum: 2 },
      { type: 'number', maximum: 4 },
      [2, 3],
    )
    expect(attributes).toMatchObject({ state: 'completed', total: 1 })
  })

  test('a field becomes unique where no two share a value, and is no longer where it need not be', async () => {
    const unique = { type: 'string', xSvcUnique: true }
    const { object, attributes } = await tighten({ type: 'string' }, unique, ['a', 'b', undefined])
    expect(attributes.state).toBe('completed')
    expect((await post(object, { v: 'A' })).body.errors[0].code).toBe('unique_violation')
    await edit(object, (properties) => delete properties.v.xSvcUnique)
    expect((await post(object, { v: 'a' })).status).toBe(201)
    const again = await edit(object, (properties) => (properties.v = unique))
    expect(again).toMatchObject({ state: 'failed', error_code: 'data_conflict' })
    expect(again.metadata.errors).toEqual([
      { field: 'v', reason: 'Another record has this value as well.', count: 1, sample_ids: [expect.any(String)] },
    ])
    expect((await post(object, { v: 'b' })).status).toBe(201)
  })
})

describe('options', () => {
  test('one that is dropped is cleared from records, seen by nobody from then on, and told', async () => {
    const object = await make({
      ...nameOnly,
      stage: { enum: ['A', 'B', 'C'] },
      tags: { xSvcType: 'multi_select', enum: ['x', 'y'] },
    })
    const made = await createMany(object, [
      { name: '1', stage: 'A', tags: { items: ['x', 'y'] } },
      { name: '2', stage: 'B', tags: { items: ['x'] } },
      { name: '3', stage: 'C' },
    ])
    const attributes = await edit(object, (properties) => {
      properties.stage.enum = ['A', 'C']
      properties.tags.enum = ['y']
    })
    expect(attributes).toMatchObject({ state: 'completed', progress: 4, total: 4 })
    const now = await Promise.all(made.map(async ({ id }) => (await record(object, id)).body.data.attributes))
    expect(now.map(({ stage, tags }) => [stage, tags.items])).toEqual([
      ['A', ['y']],
      [null, []],
      ['C', []],
    ])
    expect((await list(object, { 'filter[stage]': 'null' })).body.data).toHaveLength(1)
    expect((await list(object, { 'filter[stage]': 'B' })).body.errors[0].code).toBe('unknown_value')
    const second = made[1]
    expect((await record(object, second.id)).headers['etag']).toBe('"2"')
    const [newest] = await activitiesOf(app).all(object, second.id)
    expect(newest.attributes.data[0]).toMatchObject({
      type: 'svc:update',
      actor: { _id: app.userIds.admin },
      object: {
        diff: [
          { op: 'delete', path: ['stage'], val: null, oldVal: 'B' },
          { op: 'delete', path: ['tags'], val: null, oldVal: { items: ['x'] } },
        ],
      },
    })
    expect((await record(object, made[2].id)).headers['etag']).toBe('"1"')
  })

  test('one that must be there cannot go while records have it', async () => {
    const object = await make({ ...nameOnly, stage: { enum: ['A', 'B'] } })
    const [, b] = await createMany(object, [{ stage: 'A' }, { stage: 'B' }])
    await edit(object, (_properties, document) => (document.required = ['stage']))
    const attributes = await edit(object, (properties) => (properties.stage.enum = ['A']))
    expect(attributes).toMatchObject({
      state: 'failed',
      error_code: 'validation_failed',
      metadata: { errors: [{ field: 'stage', reason: 'stage is required.', count: 1, sample_ids: [b.id] }] },
    })
    expect((await record(object, b.id)).body.data.attributes.stage).toBe('B')
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

describe('built-in objects', () => {
  test('take fields of one’s own, other words and options', async () => {
    await edit('company', (properties, document) => {
      properties.tier = { enum: ['Gold', 'Silver'], default: 'Silver' }
      properties.industry.title = 'Branch'
      document.xSvcLabel = { singular: 'Organisation', plural: 'Organisations' }
    })
    expect((await create('company', { name: 'Acme' })).attributes.tier).toBe('Silver')
    await edit('deal', (properties) => (properties.stage.enum = ['Lead', 'Won', 'Lost', 'Parked']))
    expect((await create('deal', { name: 'Deal', stage: 'Parked' })).attributes.stage).toBe('Parked')
    await edit('company', (properties) => {
      properties.level = { ...properties.tier, xSvcPrevName: 'tier' }
      delete properties.tier
    })
    expect((await list('company')).body.data[0].attributes.level).toBe('Silver')
  })

  test.for<[string, string, (properties: Json, document: Json) => void, string]>([
    [
      'person',
      'dropped',
      (properties) => delete properties.job_title,
      '/properties: "job_title" is a system field and cannot be dropped.',
    ],
    [
      'person',
      'renamed',
      (properties) => {
        properties.role = { ...properties.job_title, xSvcPrevName: 'job_title' }
        delete properties.job_title
      },
      '/properties/role/xSvcPrevName: "job_title" is a system field and cannot be renamed.',
    ],
    [
      'person',
      'of another type',
      (properties) => (properties.job_title.xSvcType = 'long_text'),
      '/properties/job_title/xSvcType: "job_title" is a system field, of which may be changed: title, description, examples, deprecated, default, enum, xSvcEnumMetadata, xSvcSearchable, xSvcPresentation.',
    ],
    [
      'company',
      'no longer primary',
      (properties) => {
        delete properties.name.xSvcPrimary
        properties.other = { type: 'string', xSvcPrimary: true }
      },
      '/properties/name/xSvcPrimary: "name" is a system field, of which may be changed: title, description, examples, deprecated, default, enum, xSvcEnumMetadata, xSvcSearchable, xSvcPresentation.',
    ],
    [
      'company',
      'no longer unique',
      (properties) => delete properties.domains.xSvcUnique,
      '/properties/domains/xSvcUnique: "domains" is a system field, of which may be changed: title, description, examples, deprecated, default, enum, xSvcEnumMetadata, xSvcSearchable, xSvcPresentation.',
    ],
    [
      'company',
      'required',
      (_properties, document) => (document.required = ['industry']),
      '/required: "industry" is a system field: whether it is required cannot be changed.',
    ],
    [
      'user',
      'more',
      (properties) => (properties.nick = { type: 'string' }),
      '/properties/nick: user records are read-only: they take relationships, and no other fields.',
    ],
    [
      'user',
      'written',
      (_properties, document) => delete document.readOnly,
      '/readOnly: user is built in: this cannot be changed.',
    ],
  ])('%s: no field of theirs is %s', async ([object, _what, change, fault]) => {
    const document = await get(object)
    change(document.properties, document)
    const answer = await put(object, document)
    expect([answer.status, ...faultsOf(answer)]).toContain(fault)
    expect(answer.status).toBe(422)
  })
})

describe('what is refused', () => {
  test.for<[string, (document: Json) => void, string]>([
    [
      'another $id',
      (document) => (document.$id = 'https://x.example/schemas/entities/person'),
      '/$id: Must end in /schemas/entities/c_refused, the object in the path.',
    ],
    [
      'another title',
      (document) => (document.title = 'Refused'),
      '/title: Must be "c_refused", the object in the path; the display name is in xSvcLabel.',
    ],
    [
      'an unknown keyword',
      (document) => (document.additionalProperties = false),
      '/additionalProperties: Unknown member "additionalProperties". A schema takes: $schema, $id, title, type, xSvcNamespace, xSvcLabel, xSvcAIDescription, description, deprecated, properties, required, readOnly, xSvcAccess, xSvcPresentation.',
    ],
    [
      'no primary field',
      (document) => delete document.properties.name.xSvcPrimary,
      '/properties: One field has xSvcPrimary: true; here none has.',
    ],
    [
      'a required field that is not there',
      (document) => (document.required = ['nothing']),
      '/required/0: There is no such field in "properties".',
    ],
    [
      'one that is required twice',
      (document) => (document.required = ['name', 'name']),
      '/required/1: This field is named already.',
    ],
    [
      'a required relationship',
      (document) => (document.required = ['boss']),
      '/required/0: A relationship may be empty: it becomes so when the record that it leads to is deleted.',
    ],
    [
      'a required field that nobody can fill',
      (document) => {
        document.properties.n.readOnly = true
        document.required = ['n']
      },
      '/required/0: A read-only field without a default cannot be required: nobody could fill it.',
    ],
    [
      'a renaming of nothing',
      (document) => (document.properties.x = { type: 'string', xSvcPrevName: 'nothing' }),
      '/properties/x/xSvcPrevName: There is no field "nothing" to rename.',
    ],
    [
      'a renaming of what stays',
      (document) => (document.properties.x = { type: 'string', xSvcPrevName: 'n' }),
      '/properties/x/xSvcPrevName: "n" is still there: a field has one name.',
    ],
    [
      'another kind of relationship',
      (document) => (
        (document.properties.boss.xSvcRelationship.kind = 'many-to-many'),
        (document.properties.boss.type = 'array')
      ),
      '/properties/boss/xSvcRelationship: The kind of a relationship and the object that it leads to cannot be changed: drop the field and add another one.',
    ],
    [
      'another way back',
      (document) => (document.properties.boss.xSvcRelationship.field = 'other'),
      '/properties/boss/xSvcRelationship/field: Must be "refusals": the other end is renamed in its own object.',
    ],
    [
      'a text that comes to lead to users',
      (document) => (document.properties.t.xSvcType = 'user_reference'),
      '/properties/t/xSvcType: Whether a field leads to users cannot be changed: drop it and add another one.',
    ],
    [
      'one that led to users and becomes a text',
      (document) => (document.properties.u.xSvcType = 'text'),
      '/properties/u/xSvcType: Whether a field leads to users cannot be changed: drop it and add another one.',
    ],
    [
      'a relationship that becomes a text',
      (document) => (document.properties.boss = { type: 'string' }),
      '/properties/boss/xSvcRelationship: The kind of a relationship and the object that it leads to cannot be changed: drop the field and add another one.',
    ],
  ])('%s', async ([_what, change, fault]) => {
    if ((await api.get(objectPath('c_refused'))).status === 404)
      await make(
        {
          ...nameOnly,
          n: { type: 'number' },
          t: { type: 'string' },
          u: { xSvcType: 'user_reference' },
          boss: { xSvcRelationship: { kind: 'many-to-one', entity: 'person', field: 'refusals' } },
        },
        { name: 'Refused' },
      )
    const document = await get('c_refused')
    change(document)
    const answer = await put('c_refused', document)
    expect([answer.status, ...faultsOf(answer)]).toEqual([422, fault])
  })

  test('an object that is not there', async () => {
    const { status, body } = await put('c_nothing', { $id: 'x/schemas/entities/c_nothing', properties: nameOnly })
    expect([status, body.errors[0].code]).toEqual([404, 'not_found'])
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
