import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, faultsOf, schemasOf, schemasPath } from '../harness/schemas.ts'

const app = await startApp()
const { api, origin } = app
const { make, get, post } = schemasOf(app)
const { edit, put, replace } = changesOf(app)
const { create, list } = recordsOf(app)

const name = { type: 'string', xSvcPrimary: true }
const ids = { oneOf: [{ $ref: 'https://crm.example.com/schemas/core/collectionOfIds' }, { type: 'null' }] }
const nested = (...options: string[]): Json => ({
  type: ['object', 'null'],
  properties: { items: { type: 'array', items: { enum: options } } },
})

/** The spellings of other clients, and the answers. */
const spelled: [string, Json, Json][] = [
  [
    'a multi-select',
    { title: 'Tags', ...nested('x', 'y') },
    { title: 'Tags', type: ['object', 'null'], enum: ['x', 'y'], xSvcType: 'multi_select' },
  ],
  [
    'one with bounds',
    {
      xSvcType: 'multi_select',
      properties: { items: { maxItems: 2, uniqueItems: true, items: { type: 'string', enum: ['x'] } } },
    },
    { xSvcType: 'multi_select', enum: ['x'], maxItems: 2, uniqueItems: true },
  ],
  ['a date', { type: 'date', title: 'Founded' }, { type: 'string', title: 'Founded', xSvcType: 'date' }],
  ['a date that may be empty', { type: ['date', 'null'] }, { type: ['string', 'null'], xSvcType: 'date' }],
]

describe.each(spelled)('%s as other clients write it', (_what, sent, answered) => {
  test('means the same wherever a field is added, and is answered in our own spelling', async () => {
    const made = await make({ name, field: sent })
    expect((await get(made)).properties.field).toEqual(answered)
    expect(Object.keys((await get(made)).properties.field)).toEqual(Object.keys(answered))
    const added = await make({ name })
    expect(
      (
        await api.post(`${schemasPath}/${added}/properties`, {
          body: { data: { type: 'schema-properties', attributes: { field: sent } } },
        })
      ).status,
    ).toBe(202)
    expect((await get(added)).properties.field).toEqual(answered)
    const replaced = await make({ name })
    expect((await edit(replaced, (properties) => void (properties.field = sent))).state).toBe('completed')
    expect((await get(replaced)).properties.field).toEqual(answered)
  })

  test('sent again, in either spelling, changes nothing', async () => {
    const object = await make({ name, field: sent })
    const document = await get(object)
    for (const field of [answered, sent]) {
      const plan = await api.post(`${schemasPath}/objects/${object}/plan`, {
        body: { ...document, properties: { name, field } },
      })
      expect(plan.body.data.attributes).toMatchObject({ changes: [], lost: [] })
      expect((await replace(object, { ...document, properties: { name, field } })).state).toBe('completed')
      expect(await get(object)).toEqual(document)
    }
  })
})

test('values are those of the field type', async () => {
  const object = await make({ name, tags: nested('x', 'y'), founded: { type: ['date', 'null'] } })
  expect((await create(object, { tags: { items: ['x'] }, founded: '2024-02-29' })).attributes).toMatchObject({
    tags: { items: ['x'] },
    founded: '2024-02-29',
  })
  const wrong = await api.post(`/workspaces/acme/objects/${object}/records`, {
    body: { data: { type: object, attributes: { tags: { items: ['z'] }, founded: 'soon' } } },
  })
  expect(faultsOf(wrong).map((fault) => fault.split(':')[0])).toEqual([
    '/data/attributes/tags/items/0',
    '/data/attributes/founded',
  ])
  expect((await list(object, { 'filter[founded][Is after]': '2024-01-01' })).body.meta.total_records).toBe(1)
})

test('a relationship may say that it is to many by `oneOf`, at either end, and comes back as `type`', async () => {
  const [one, other] = [
    await make({ name }),
    await make({
      name,
      parents: {
        ...ids,
        title: 'Parents',
        xSvcRelationship: { kind: 'many-to-many', entity: 'person', field: 'c_children' },
      },
    }),
  ]
  expect((await get(other)).properties.parents).toEqual({
    type: ['array', 'null'],
    title: 'Parents',
    xSvcRelationship: { kind: 'many-to-many', entity: 'person', field: 'c_children' },
  })
  const added = {
    type: 'relationship',
    attributes: {
      [one]: { parts: { ...ids, xSvcRelationship: { kind: 'one-to-many', entity: other, field: 'whole' } } },
      [other]: {
        whole: {
          type: ['string', 'null'],
          title: 'Whole',
          xSvcRelationship: { kind: 'many-to-one', entity: one, field: 'parts' },
        },
      },
    },
  }
  expect((await api.post(`${schemasPath}/${one}/relationships`, { body: { data: added } })).status).toBe(202)
  expect((await get(one)).properties.parts).toMatchObject({
    type: ['array', 'null'],
    xSvcRelationship: { kind: 'one-to-many' },
  })
  const back = {
    type: 'relationship',
    attributes: {
      [one]: { owner: { xSvcRelationship: { kind: 'many-to-one', entity: 'company', field: `own_${one}` } } },
      company: {
        [`own_${one}`]: {
          ...ids,
          title: 'Owned',
          xSvcRelationship: { kind: 'one-to-many', entity: one, field: 'owner' },
        },
      },
    },
  }
  expect((await api.post(`${schemasPath}/${one}/relationships`, { body: { data: back } })).status).toBe(202)
  expect((await get('company')).properties[`own_${one}`]).toMatchObject({ type: ['array', 'null'], title: 'Owned' })
  expect((await get('company')).properties[`own_${one}`]).not.toHaveProperty('oneOf')
  const whole = await create(one, { name: 'whole' })
  const part = await create(other, { name: 'part', whole: whole.id })
  expect(
    (await api.get(`/workspaces/acme/objects/${one}/records/${whole.id}/relationships/parts`)).body.data.map(
      ({ id }: Json) => id,
    ),
  ).toEqual([part.id])
})

test('options are appended and removed in either spelling', async () => {
  const object = await make({ name, tags: nested('x', 'y') })
  const update = (options: Json, way: string) =>
    api.patch(schemasPath, {
      body: {
        data: [
          {
            type: 'schema-properties',
            id: `${origin}/schemas/entities/${object}`,
            attributes: { tags: options },
            meta: { tags: { enum: way } },
          },
        ],
      },
    })
  expect((await update(nested('z'), 'append')).body.data[0].attributes).toEqual({
    isValid: true,
    values: { tags: ['x', 'y', 'z'] },
  })
  expect((await update({ enum: ['w'] }, 'append')).body.data[0].attributes).toEqual({
    isValid: true,
    values: { tags: ['x', 'y', 'z', 'w'] },
  })
  expect((await update(nested('x', 'w'), 'remove')).body.data[0].attributes).toEqual({
    isValid: true,
    values: { tags: ['y', 'z'] },
  })
  await app.idle()
  expect((await get(object)).properties.tags.enum).toEqual(['y', 'z'])
  expect(faultsOf(await update(nested('nope'), 'remove'))).toEqual([
    '/data/0/attributes/tags/properties/items/items/enum/0: There is no such option; the options are: y, z.',
  ])
  expect(faultsOf(await update({ type: 'object' }, 'append'))).toContain(
    '/data/0/attributes/tags/enum: Requires the options.',
  )
})

test.for<[string, Json, string]>([
  [
    'to one',
    { ...ids, xSvcRelationship: { kind: 'many-to-one', entity: 'person', field: 'x' } },
    '/properties/field/oneOf: Only the to-many side',
  ],
  ['no relationship', ids, '/properties/field/oneOf: Only the to-many side'],
  [
    'another reference',
    { oneOf: [{ $ref: 'https://x/schemas/core/other' }, { type: 'null' }] },
    '/properties/field/oneOf/0/$ref: Must end in /schemas/core/collectionOfIds.',
  ],
  [
    'no reference',
    { oneOf: [{ type: 'null' }], xSvcRelationship: { kind: 'one-to-many', entity: 'person', field: 'x' } },
    '/properties/field/oneOf: Must be {"$ref"',
  ],
  [
    'a type beside it',
    { ...ids, type: 'string', xSvcRelationship: { kind: 'one-to-many', entity: 'person', field: 'x' } },
    '/properties/field/type: "oneOf" already defines the type of this field.',
  ],
  [
    'a date that is a number',
    { type: ['date', 'number'] },
    '/properties/field/type: "date" can only be combined with "null".',
  ],
  [
    'a date of another type',
    { type: 'date', xSvcType: 'timestamp' },
    '/properties/field/type: "date" requires xSvcType: date',
  ],
  ['options twice', { ...nested('x'), enum: ['x'] }, '/properties/field/enum: Is already in "properties".'],
  [
    'options of another type',
    { ...nested('x'), xSvcType: 'select' },
    '/properties/field/properties: Only the options of a multi-select can have this form',
  ],
  ['a faulty option', nested('x', ' '), '/properties/field/properties/items/items/enum/1: An option is a text'],
  ['other members', { properties: { name: { type: 'string' } } }, '/properties/field/properties'],
])('%s is refused where it stands', async ([_what, field, fault]) => {
  const answer = await post({ name: 'Refused', plural: 'Refused', properties: { name, field } })
  expect(answer.status).toBe(422)
  expect(faultsOf(answer).join('\n')).toContain(fault)
  expect((await put('c_refused', {})).status).not.toBe(200)
})
