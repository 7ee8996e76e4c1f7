import { describe, expect, test } from 'vitest'
import { activitiesOf } from '../harness/activities.ts'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, faultsOf, schemasOf, schemasPath } from '../harness/schemas.ts'

const app = await startApp()
const { make, get } = schemasOf(app)
const { edit } = changesOf(app)
const { create, createMany, list, post, get: record } = recordsOf(app)

const name = { type: 'string', xSvcPrimary: true }
const idOf = (object: string) => `${app.origin}/schemas/entities/${object}`
const update = (object: string, attributes: Json, meta: Json) =>
  app.api.patch(schemasPath, { body: { data: [{ type: 'schema-properties', id: idOf(object), attributes, meta }] } })

test('options are appended, those that are there once, with what they look like', async () => {
  const object = await make({ name, stage: { enum: ['A', 'B'], xSvcEnumMetadata: { A: { color: 'red' } } } })
  const { status, body } = await update(
    object,
    { stage: { enum: ['B', 'C'], xSvcEnumMetadata: { C: { rank: 3, color: 'blue' } } } },
    { stage: { enum: 'append' } },
  )
  expect([status, body]).toEqual([
    200,
    {
      data: [
        {
          id: idOf(object),
          type: 'schema-validation-result',
          attributes: { isValid: true, values: { stage: ['A', 'B', 'C'] } },
        },
      ],
    },
  ])
  expect((await get(object)).properties.stage).toEqual({
    enum: ['A', 'B', 'C'],
    xSvcEnumMetadata: { A: { color: 'red' }, C: { rank: 3, color: 'blue' } },
  })
  expect((await create(object, { stage: 'C' })).attributes.stage).toBe('C')
})

test(
  'options are removed from the schema, from records and from what lists find, and the feeds of the records ' +
    'tell it',
  async () => {
    const object = await make({
      name,
      stage: { enum: ['A', 'B', 'C'], xSvcEnumMetadata: { A: { color: 'red' }, B: { color: 'green' } } },
      tags: { xSvcType: 'multi_select', enum: ['x', 'y', 'z'] },
    })
    const made = await createMany(object, [
      { stage: 'A', tags: { items: ['x', 'y'] } },
      { stage: 'B', tags: { items: ['x'] } },
      { stage: 'C', tags: { items: ['z'] } },
    ])
    const { status, body } = await update(
      object,
      { stage: { enum: ['A'] }, tags: { enum: ['x'] } },
      { stage: { enum: 'remove' }, tags: { enum: 'remove' } },
    )
    expect([status, body.data[0].attributes]).toEqual([
      200,
      { isValid: true, values: { stage: ['B', 'C'], tags: ['y', 'z'] } },
    ])
    await app.idle()
    expect((await get(object)).properties.stage).toEqual({
      enum: ['B', 'C'],
      xSvcEnumMetadata: { B: { color: 'green' } },
    })
    const now = await Promise.all(made.map(async ({ id }) => (await record(object, id)).body.data.attributes))
    expect(now.map(({ stage, tags }) => [stage, tags.items])).toEqual([
      [null, ['y']],
      ['B', []],
      ['C', ['z']],
    ])
    expect((await list(object, { 'filter[stage]': 'null' })).body.data.map(({ id }: Json) => id)).toEqual([made[0].id])
    const [newest] = await activitiesOf(app).all(object, made[0].id)
    expect(newest.attributes.data[0]).toMatchObject({
      type: 'svc:update',
      actor: { _id: app.userIds.admin },
      object: {
        diff: [
          { op: 'delete', path: ['stage'], val: null, oldVal: 'A' },
          { op: 'update', path: ['tags'], val: { items: ['y'] }, oldVal: { items: ['x', 'y'] } },
        ],
      },
    })
    expect(faultsOf(await post(object, { stage: 'A' }))).toEqual(['/data/attributes/stage: Must be one of: B, C.'])
  },
)

test('where a value must be there its option stays, and the answer says which records have it', async () => {
  const object = await make({ name, stage: { enum: ['A', 'B'] } })
  const made = await createMany(object, [{ stage: 'A' }, { stage: 'B' }])
  await edit(object, (_properties, document) => (document.required = ['stage']))
  const { status, body } = await update(object, { stage: { enum: ['A'] } }, { stage: { enum: 'remove' } })
  expect([status, body.data[0].attributes]).toEqual([
    200,
    { isValid: false, errors: [{ field: 'stage', reason: 'stage is required.', count: 1, sample_ids: [made[0].id] }] },
  ])
  expect((await get(object)).properties.stage.enum).toEqual(['A', 'B'])
})

test('a built-in select takes options, and its own can be removed', async () => {
  expect(
    (await update('deal', { stage: { enum: ['On hold'] } }, { stage: { enum: 'append' } })).body.data[0].attributes
      .values.stage,
  ).toEqual(['Lead', 'Qualified', 'Proposal', 'Negotiation', 'Won', 'Lost', 'On hold'])
  const { id } = await create('deal', { name: 'Held', stage: 'On hold' })
  await update('deal', { stage: { enum: ['On hold', 'Lead'] } }, { stage: { enum: 'remove' } })
  await app.idle()
  expect((await record('deal', id)).body.data.attributes.stage).toBeNull()
})

const one = (more: Json) => ({
  type: 'schema-properties',
  id: idOf('deal'),
  attributes: { stage: { enum: ['X'] } },
  meta: { stage: { enum: 'append' } },
  ...more,
})

describe('what is refused', () => {
  test.for<[string, Json[], string]>([
    ['two items', [one({}), one({})], '/data: '],
    ['no item', [], '/data: '],
    [
      'an unknown schema',
      [one({ id: `${app.origin}/schemas/entities/c_nothing` })],
      '/data/0/id: There is no such schema: this is the "$id" of one.',
    ],
    ['an id that is no URL', [one({ id: 'deal' })], '/data/0/id: There is no such schema: this is the "$id" of one.'],
    [
      'a field that is no select',
      [one({ attributes: { name: { enum: ['X'] } }, meta: { name: { enum: 'append' } } })],
      '/data/0/attributes/name: deal has no select "name".',
    ],
    [
      'a field that is not there',
      [one({ attributes: { stagee: { enum: ['X'] } }, meta: { stagee: { enum: 'append' } } })],
      '/data/0/attributes/stagee: deal has no select "stagee". Did you mean "stage"?',
    ],
    [
      'no operation',
      [one({ meta: {} })],
      '/data/0/meta/stage: Must be {"enum":"append"} or {"enum":"remove"} for this field.',
    ],
    ['another operation', [one({ meta: { stage: { enum: 'replace' } } })], '/data/0/meta/stage/enum: '],
    [
      'an operation on nothing',
      [one({ meta: { stage: { enum: 'append' }, amount: { enum: 'append' } } })],
      '/data/0/meta/amount: There are no options for this field in "attributes".',
    ],
    ['an option that is no text', [one({ attributes: { stage: { enum: [5] } } })], '/data/0/attributes/stage/enum/'],
    [
      'a select that the server fills in',
      [one({ id: idOf('user'), attributes: { roles: { enum: ['owner'] } }, meta: { roles: { enum: 'append' } } })],
      '/data/0/attributes/roles/enum: "roles" is a system field',
    ],
    [
      'the removal of what is not there',
      [one({ attributes: { stage: { enum: ['Nope'] } }, meta: { stage: { enum: 'remove' } } })],
      '/data/0/attributes/stage/enum/0: There is no such option; the options are: ',
    ],
  ])('%s', async ([_what, data, fault]) => {
    const before = await get('deal')
    const answer = await app.api.patch(schemasPath, { body: { data } })
    expect(answer.status).toBe(422)
    expect(faultsOf(answer)[0]).toContain(fault)
    expect(await get('deal')).toEqual(before)
  })

  test('the removal of the last option, and of one that is the default', async () => {
    const object = await make({ name, one: { enum: ['A'] }, two: { enum: ['A', 'B'], default: 'A' } })
    expect(faultsOf(await update(object, { one: { enum: ['A'] } }, { one: { enum: 'remove' } }))[0]).toBe(
      '/data/0/attributes/one/enum: A select must keep at least one option.',
    )
    expect(faultsOf(await update(object, { two: { enum: ['A'] } }, { two: { enum: 'remove' } }))).toEqual([
      '/data/0/attributes/two/default: Must be one of: B.',
    ])
  })
})
