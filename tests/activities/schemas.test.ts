import { beforeAll, describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { changesOf, schemasOf, schemasPath } from '../harness/schemas.ts'

const app = await startApp()
const { api } = app
const { make, get } = schemasOf(app)
const { edit, end } = changesOf(app)

const name = { type: 'string', xSvcPrimary: true }
const idOf = (object: string) => `${app.origin}/schemas/entities/${object}`
const of = (object: string, query: Record<string, string | number> = {}) =>
  api.get(`${schemasPath}/${object}/activities`, { query })
const all = (query: Record<string, string | number> = {}) => api.get(`${schemasPath}/activities`, { query })

/** The events of a feed, the oldest first. */
const eventsIn = ({ body }: { body: Json }): Json[] =>
  body.data.toReversed().flatMap(({ attributes }: Json) => attributes.data)
const newestDiff = async (object: string): Promise<Json> => eventsIn(await of(object)).at(-1).object.diff

const options = (object: string, field: string, values: string[], way: 'append' | 'remove') =>
  api.patch(schemasPath, {
    body: {
      data: [
        {
          type: 'schema-properties',
          id: idOf(object),
          attributes: { [field]: { enum: values } },
          meta: { [field]: { enum: way } },
        },
      ],
    },
  })

describe('every kind of change is told, to the schema that it is a change of', () => {
  test('a creation, as a resource of the spec', async () => {
    const object = await make({ name, founded: { xSvcType: 'date' } })
    const { status, body } = await of(object)
    expect(status).toBe(200)
    const [activity] = body.data
    expect(body).toEqual({
      data: [
        {
          type: 'activity',
          id: activity.id,
          attributes: {
            _id: activity.id,
            _created_at: expect.any(String),
            aggKey: `schema:${idOf(object)}:svc:create`,
            data: [
              {
                _id: activity.id,
                _created_at: activity.attributes._created_at,
                type: 'svc:create',
                actor: { _id: app.userIds.admin, anonymous_id: null, entity: 'user', source_id: null },
                object: {
                  _id: idOf(object),
                  anonymous_id: null,
                  entity: 'schema',
                  diff: [
                    { op: 'add', path: ['name'], val: name, oldVal: null },
                    { op: 'add', path: ['founded'], val: { xSvcType: 'date' }, oldVal: null },
                  ],
                },
              },
            ],
          },
        },
      ],
      meta: { total_records: 1, total_pages: 1, offset: 0, limit: 500 },
      links: { next: null, prev: null },
    })
  })

  test('fields that come, change, are renamed and go; keywords of the document', async () => {
    const object = await make({ name, a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string' } })
    await edit(object, (properties, document) => {
      document.properties = {
        name,
        a: { type: 'string', maxLength: 3 },
        d: { ...properties.b, xSvcPrevName: 'b' },
        e: { type: 'number' },
      }
      document.required = ['name']
      document.xSvcLabel = { singular: 'Other', plural: 'Others' }
    })
    expect(await newestDiff(object)).toEqual([
      { op: 'update', path: ['a'], val: { type: 'string', maxLength: 3 }, oldVal: { type: 'string' } },
      { op: 'update', path: ['b'], val: { type: 'string', xSvcPrevName: 'b' }, oldVal: { type: 'string' } },
      { op: 'add', path: ['e'], val: { type: 'number' }, oldVal: null },
      { op: 'delete', path: ['c'], val: null, oldVal: { type: 'string' } },
      {
        op: 'update',
        path: [],
        val: { xSvcLabel: { singular: 'Other', plural: 'Others' }, required: ['name'] },
        oldVal: { xSvcLabel: expect.objectContaining({ plural: 'Things' }), required: null },
      },
    ])
  })

  test('a field that is called like a keyword is not taken for it', async () => {
    const object = await make({ name, description: { type: 'string' } })
    await edit(object, (properties, document) => {
      properties.description.title = 'Words'
      document.description = 'Said'
    })
    expect(await newestDiff(object)).toEqual([
      { op: 'update', path: ['description'], val: { type: 'string', title: 'Words' }, oldVal: { type: 'string' } },
      { op: 'update', path: [], val: { description: 'Said' }, oldVal: { description: null } },
    ])
  })

  test('another order, by the document and by its own endpoint', async () => {
    const object = await make({ name, a: {}, b: {} })
    await edit(object, (properties, document) => (document.properties = { b: properties.b, name, a: properties.a }))
    expect(await newestDiff(object)).toEqual([
      { op: 'update', path: [], val: { order: ['b', 'name', 'a'] }, oldVal: { order: ['name', 'a', 'b'] } },
    ])
    await api.patch(`${schemasPath}/${object}/fields-order`, {
      body: { data: { type: 'schema-property-order', attributes: { order: ['a', 'b', 'name'] } } },
    })
    const diff = await newestDiff(object)
    expect(diff.map(({ op, path }: Json) => [op, ...path])).toEqual([
      ['update', 'a'],
      ['update', 'b'],
      ['update', 'name'],
      ['update'],
    ])
    expect(diff.at(-1).val).toEqual({ order: ['a', 'b', 'name'] })
    await api.patch(`${schemasPath}/${object}/fields-visibility`, {
      body: { data: { type: 'schema-property-visibility', attributes: { hiddenInDetails: { a: true } } } },
    })
    expect(await newestDiff(object)).toMatchObject([
      { op: 'update', path: ['a'], val: { xSvcPresentation: { hiddenInDetails: true } } },
    ])
  })

  test('options that come and that are cleared', async () => {
    const object = await make({ name, stage: { enum: ['A', 'B'] } })
    await options(object, 'stage', ['C'], 'append')
    expect(await newestDiff(object)).toEqual([
      { op: 'update', path: ['stage'], val: { enum: ['A', 'B', 'C'] }, oldVal: { enum: ['A', 'B'] } },
    ])
    expect((await options(object, 'stage', ['A'], 'remove')).status).toBe(200)
    await app.idle()
    expect(await newestDiff(object)).toEqual([
      { op: 'update', path: ['stage'], val: { enum: ['B', 'C'] }, oldVal: { enum: ['A', 'B', 'C'] } },
    ])
  })

  test('relationships, at both ends', async () => {
    const [one, other] = [await make({ name }), await make({ name })]
    const relationship = { kind: 'many-to-one', entity: other, field: 'parts' }
    const { status } = await api.post(`${schemasPath}/${one}/relationships`, {
      body: { data: { type: 'relationship', attributes: { [one]: { whole: { xSvcRelationship: relationship } } } } },
    })
    expect(status).toBe(202)
    expect((await newestDiff(one)).map(({ op, path }: Json) => [op, ...path])).toEqual([['add', 'whole']])
    expect((await newestDiff(other)).map(({ op, path }: Json) => [op, ...path])).toEqual([['add', 'parts']])
    const { body } = await api.delete(`${schemasPath}/${other}/relationships/parts`)
    await end(body.data.id)
    expect((await newestDiff(one)).map(({ op, path }: Json) => [op, ...path])).toEqual([['delete', 'whole']])
    expect((await newestDiff(other)).map(({ op, path }: Json) => [op, ...path])).toEqual([['delete', 'parts']])
  })

  test('the end of an object, which one of the same name that is made later has not in its feed', async () => {
    const object = await make({ name }, { name: 'Passing', plural: 'Passing' })
    const document = await get(object)
    await end((await api.delete(`${schemasPath}/objects/${object}`)).body.data.id)
    expect((await of(object)).status).toBe(404)
    const last = eventsIn(await all()).at(-1)
    expect([last.type, last.object._id, last.object.diff.map(({ op, path }: Json) => [op, ...path])]).toEqual([
      'svc:delete',
      idOf(object),
      [['delete']],
    ])
    const { $schema: _schema, $id: _id, ...kept } = document
    expect(last.object.diff[0].oldVal).toEqual(kept)
    await make({ name }, { name: 'Passing', plural: 'Passing' })
    expect(eventsIn(await of(object)).map(({ type }) => type)).toEqual(['svc:create'])
    expect(
      eventsIn(await all())
        .filter((one) => one.object._id === idOf(object))
        .map(({ type }) => type),
    ).toEqual(['svc:create', 'svc:delete', 'svc:create'])
  })

  test('nothing is told of what failed, or of what changed nothing', async () => {
    const object = await make({ name, a: { type: 'string' } })
    await api.post(`/workspaces/acme/objects/${object}/records`, {
      as: 'member',
      body: { data: { type: object, attributes: { a: 'long' } } },
    })
    expect((await edit(object, (properties) => (properties.a.maxLength = 1))).state).toBe('failed')
    await edit(object, () => undefined)
    expect(eventsIn(await of(object))).toHaveLength(1)
  })
})

const idsOf = ({ body }: { body: Json }): string[] => body.data.map(({ id }: Json) => id)

describe('pages of all schemas', () => {
  const objects: string[] = []
  beforeAll(async () => {
    for (let made = 0; made < 3; made++) objects.push(await make({ name }))
    for (let made = 0; made < 4; made++) {
      await app.advance(61_000)
      for (const object of objects)
        await api.post(`${schemasPath}/${object}/properties`, {
          as: 'adminKey',
          body: { data: { type: 'schema-properties', attributes: { [`f${made}`]: {} } } },
        })
    }
  })

  test.for([
    {},
    { 'sortOrder[column]': '_created_at', 'sortOrder[dir]': 'ASC' },
    { 'filter[type]': 'svc:update' },
    { 'filter[actor]': app.userIds.admin, 'filter[type]': 'svc:create' },
  ])('by offset, and by links both ways: %o', async (query) => {
    const whole = idsOf(await all(query))
    expect(whole.length).toBeGreaterThan(3)
    for (const limit of [1, 4, whole.length]) {
      for (const offset of [0, 1, whole.length - 1, whole.length]) {
        const answer = await all({ ...query, 'page[limit]': limit, 'page[offset]': offset })
        expect(idsOf(answer)).toEqual(whole.slice(offset, offset + limit))
        expect(answer.body.meta).toEqual({
          total_records: whole.length,
          total_pages: Math.ceil(whole.length / limit),
          offset,
          limit,
        })
      }
    }
    const forth: string[] = []
    let page = await all({ ...query, 'page[limit]': 2 })
    for (;;) {
      forth.push(...idsOf(page))
      if (page.body.links.next === null) break
      page = await api.get(page.body.links.next)
    }
    expect(forth).toEqual(whole)
    const back = [...idsOf(page)]
    while (page.body.links.prev !== null) {
      page = await api.get(page.body.links.prev)
      back.unshift(...idsOf(page))
    }
    expect(back).toEqual(whole)
  })

  test('the feed of one is what the feed of all has of it', async () => {
    for (const object of objects) {
      const own = idsOf(await of(object))
      expect(own).toHaveLength(5)
      expect(
        (await all()).body.data
          .filter(({ attributes }: Json) => attributes.data[0].object._id === idOf(object))
          .map(({ id }: Json) => id),
      ).toEqual(own)
    }
  })

  test('a cursor of one feed leads nowhere in another', async () => {
    const { body } = await all({ 'page[limit]': 1 })
    const cursor = new URL(body.links.next).searchParams.get('page[after]') as string
    for (const answer of [
      await of(objects[0] as string, { 'page[after]': cursor }),
      await all({ 'page[after]': cursor, 'filter[type]': 'svc:update' }),
      await all({ 'page[after]': 'x' }),
    ]) {
      expect([answer.status, answer.body.errors[0].code]).toEqual([400, 'cursor_mismatch'])
    }
  })
})

test('no schema, no feed; and another workspace sees nothing of it', async () => {
  const { status, body } = await of('c_nothing')
  expect([status, body.errors[0].code]).toEqual([404, 'not_found'])
  expect((await api.get('/workspaces/other/schemas/activities', { as: 'stranger' })).body).toMatchObject({
    data: [],
    meta: { total_records: 0 },
  })
})
