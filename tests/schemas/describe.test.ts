import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import fc from 'fast-check'
import { contract, isMutation, typeName, type Endpoint } from '@kontor/contract'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'
import { sized } from '../harness/size.ts'
import { Described } from './described.ts'

const app = await startApp()
const { api } = app
const { make } = schemasOf(app)
const { edit } = changesOf(app)
const { create } = recordsOf(app)

const W = '/workspaces/acme'
const fetchDocument = async (options: Json = {}): Promise<Json> => (await api.get(`${W}/openapi.json`, options)).body
const O = (object: string): string => `/workspaces/{workspace}/objects/${object}`

/**
 * The endpoints that read the records of one object, whichever it is: the document has a path of each for each object.
 */
const reads = ([contract.records, contract.resources].flatMap((domain) => Object.values(domain)) as Endpoint[])
  .filter((endpoint) => !isMutation(endpoint))
  .map((endpoint) => ({
    method: endpoint.method.toLowerCase(),
    path: endpoint.path.slice(O('{object}').length),
    includes: endpoint.query !== undefined && 'include' in endpoint.query.shape,
    hasBody: endpoint.body !== undefined,
    includesInBody: endpoint.body instanceof z.ZodObject && 'include' in endpoint.body.shape,
  }))

const users = (await api.get(`${W}/users`)).body.data.map(({ id }: Json) => id) as string[]

const texts = fc.constantFrom(
  'a',
  'Bern',
  'ünï',
  'x'.repeat(40),
  '2024-02-29',
  'a@example.com',
  'https://example.com/a?b',
)
const decimals = fc.constantFrom(0, -1.5, 3, 12.25, 0.0001, 999_999_999_999.9999)
const block = { type: 'paragraph', content: [{ type: 'text', text: 'Hi' }] }
const items = (item: fc.Arbitrary<unknown>) => fc.uniqueArray(item, { maxLength: 3 }).map((all) => ({ items: all }))

/** A field's schema with the values that may be sent for it. */
type FieldCase = { readonly schema: Json; readonly value: fc.Arbitrary<Json> }

const options = fc.uniqueArray(fc.constantFrom('A', 'b c', 'it\'s "so"', 'C\\n', 'Ünï', '*/'), { minLength: 1 })
const field = (schema: Json, value: fc.Arbitrary<Json>): fc.Arbitrary<FieldCase> => fc.constant({ schema, value })

/** Every field type, with the rules that its values can have. */
const fieldCases: fc.Arbitrary<FieldCase> = fc.oneof(
  field({ xSvcType: 'text', minLength: 1, maxLength: 50 }, texts),
  field({ xSvcType: 'text', enum: ['a', 'Bern'] }, fc.constantFrom('a', 'Bern')),
  field(
    { type: 'string', pattern: '^[a-z]+$', deprecated: true, description: 'Ends */ here' },
    fc.constantFrom('a', 'abc'),
  ),
  field({ type: ['string', 'null'], format: 'email' }, fc.constant('jörg@exämple.com')),
  field({ type: 'string', format: 'uri' }, fc.constant('https://exämple.com/ü')),
  field({ type: 'string', const: 'only' }, fc.constant('only')),
  field({ type: 'string', default: 'filled' }, texts),
  field({ xSvcType: 'long_text' }, texts),
  field(
    { xSvcType: 'rich_text' },
    fc.constantFrom(
      { text: [block] },
      { text: [block, { ...block, id: 'b', children: [block], props: { level: 1 } }] },
    ),
  ),
  field({ xSvcType: 'number', minimum: -2 }, decimals),
  field({ xSvcType: 'number', enum: [1, 2.5] }, fc.constantFrom(1, 2.5)),
  field({ type: 'integer', multipleOf: 3 }, fc.constantFrom(0, 3, -9)),
  field({ type: 'number', multipleOf: 0.1 }, fc.constantFrom(0.3, 1.1)),
  field({ xSvcType: 'currency' }, decimals),
  field({ xSvcType: 'rating', minimum: 1 }, fc.constantFrom(1, 5)),
  field({ xSvcType: 'checkbox' }, fc.boolean()),
  field({ xSvcType: 'date' }, fc.constantFrom('2024-02-29', '1970-01-01')),
  field({ xSvcType: 'timestamp' }, fc.constantFrom('2024-02-29T10:00:00Z', '2024-02-29T10:00:00.123+01:00')),
  options.map((all) => ({ schema: { xSvcType: 'select', enum: all }, value: fc.constantFrom(...all) })),
  options.map((all) => ({
    schema: { xSvcType: 'multi_select', enum: all, maxItems: 3 },
    value: items(fc.constantFrom(...all)),
  })),
  field({ xSvcType: 'email_addresses' }, items(fc.constantFrom('a@example.com', 'B@Example.com'))),
  field({ xSvcType: 'phone_numbers' }, items(fc.constantFrom('+1 202 555 0101', 'ask Joe'))),
  field({ xSvcType: 'domains', maxItems: 2 }, fc.constantFrom({ items: ['Example.com'] }, { items: [] })),
  field(
    { xSvcType: 'labels', items: { maxLength: 5 }, minItems: 1 },
    fc.constantFrom({ items: ['vip'] }, { items: ['vip', 'new'] }),
  ),
  field(
    { xSvcType: 'participants' },
    items(
      fc.constantFrom('a@example.com', { email: 'b@example.com', name: 'B', phone_number: null, organizer: false }),
    ),
  ),
  field({ xSvcType: 'url' }, texts),
  field({ xSvcType: 'location' }, fc.constantFrom('Bern', { city: 'Bern', at: [1, { x: null }] })),
  field(
    { xSvcType: 'person_name' },
    fc.constantFrom({ first_name: 'Ada' }, { last_name: 'L', first_name: null }, { full_name: 'Ada L' }),
  ),
  field({ xSvcType: 'user_reference' }, fc.constantFrom(...users)),
  field({ xSvcType: 'json' }, fc.constantFrom('a', 5, true, [1, { a: null }], { a: 1 })),
  field({ type: 'object' }, fc.constantFrom({}, { a: { b: [1] } })),
  field(
    { type: 'array', items: { type: ['string', 'integer'], minLength: 2 }, minItems: 1, uniqueItems: true },
    fc.constantFrom(['ab', 3], [1]),
  ),
  field({ type: ['string', 'integer'] }, fc.constantFrom('a', 7)),
  field({ xSvcType: 'json', const: { a: [1] } }, fc.constant({ a: [1] })),
  field({}, fc.constantFrom('a', 1)),
)

/** A default makes it superfluous; a reference is cleared when its record is deleted. */
const mayBeRequired = ({ default: initial, xSvcType }: Json): boolean =>
  initial === undefined && xSvcType !== 'user_reference'

type Cases = Readonly<Record<string, FieldCase & { readonly required: boolean }>>

const objects = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[A-Za-z][a-zA-Z0-9_]{0,8}$/), fieldCases, fc.boolean()), {
  minLength: 4,
  maxLength: 14,
  selector: ([name]) => name,
})

/** Makes an object of such fields; only a PUT says which of them are required. */
async function makeObject(cases: Cases): Promise<string> {
  const object = await make({
    name: { type: 'string', xSvcPrimary: true },
    ...Object.fromEntries(Object.entries(cases).map(([name, { schema }]) => [name, schema])),
  })
  const required = Object.entries(cases)
    .filter(([, one]) => one.required)
    .map(([name]) => name)
  if (required.length > 0)
    expect((await edit(object, (_, document) => void (document.required = required))).state).toBe('completed')
  return object
}

/** Links between them, of every kind. */
async function relate(object: string, other: string): Promise<void> {
  const ends = [
    ['many-to-one', 'one', 'one-to-many', 'ones'],
    ['many-to-many', 'many', 'many-to-many', 'manies'],
    ['one-to-one', 'twin', 'one-to-one', 'twin_of'],
  ]
  for (const [kind = '', name = '', back = '', backName = ''] of ends) {
    const attributes = {
      [object]: { [name]: { xSvcRelationship: { kind, entity: other, field: backName } } },
      [other]: { [backName]: { xSvcRelationship: { kind: back, entity: object, field: name } } },
    }
    const { status, body } = await api.post(`${W}/schemas/${object}/relationships`, {
      body: { data: { type: 'relationship', attributes } },
    })
    expect(status, JSON.stringify(body)).toBe(202)
  }
}

/** Values that count as none, where there must be something. */
const isNone = (value: Json): boolean => value?.items?.length === 0

const valuesOf = (cases: Cases) =>
  fc.record(
    Object.fromEntries(
      Object.entries(cases).map(([name, { value, required }]) => [
        name,
        required ? value.filter((one) => !isNone(one)) : fc.option(value, { freq: 4 }),
      ]),
    ),
    { requiredKeys: Object.keys(cases).filter((name) => cases[name]!.required) },
  )

test('whatever the typed shapes take is taken, and every answer is of its shape', async () => {
  let written = 0
  await fc.assert(
    fc.asyncProperty(objects, objects, fc.infiniteStream(fc.nat()), async (first, second, seeds) => {
      const casesOf = (fields: typeof first): Cases =>
        Object.fromEntries(
          fields
            .filter(([name]) => !['name', 'one', 'ones', 'many', 'manies', 'twin', 'twin_of'].includes(name))
            .map(([name, one, required]) => [name, { ...one, required: required && mayBeRequired(one.schema) }]),
        )
      const made = [casesOf(first), casesOf(second)]
      const names = [await makeObject(made[0]!), await makeObject(made[1]!)] as const
      await relate(...names)
      await app.idle()
      const described = new Described(await fetchDocument())
      const ids: string[][] = [[], []]
      const ok = (method: string, path: string, answer: { status: number; body: Json }, expected: number) => {
        expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body).slice(0, 500)}`).toBe(expected)
        expect(
          described.faultsOfAnswer(method, path, answer),
          JSON.stringify(answer.body).slice(0, 2000),
        ).toBeUndefined()
        return answer.body
      }
      for (const [index, object] of names.entries()) {
        const base = `${W}/objects/${object}`
        for (const attributes of fc.sample(valuesOf(made[index]!), { seed: seeds.next().value, numRuns: 4 })) {
          const link =
            index === 1 && ids[0]!.length > 0
              ? {
                  relationships: {
                    manies: { data: [{ type: names[0], id: ids[0]![0] }] },
                    ones: { data: [{ type: names[0], id: ids[0]![0] }] },
                  },
                }
              : {}
          const body = { data: { type: object, attributes, ...link } }
          expect(described.faultsOfBody('post', `${O(object)}/resources`, body), JSON.stringify(body)).toBeUndefined()
          const { data } = ok('post', `${O(object)}/resources`, await api.post(`${base}/resources`, { body }), 201)
          ids[index]!.push(data.id)
          written++
          const change = { data: { type: object, id: data.id, attributes } }
          expect(described.faultsOfBody('patch', `${O(object)}/records/{id}`, change)).toBeUndefined()
          ok('patch', `${O(object)}/records/{id}`, await api.patch(`${base}/records/${data.id}`, { body: change }), 200)
        }
      }
      const include = ['one', 'many.manies', 'twin'].join(',')
      const base = `${W}/objects/${names[0]}`
      const id = ids[0]![0]!
      const readAll = async (some: typeof reads) => {
        for (const { method, path, includes, hasBody, includesInBody } of some) {
          const answer = await api.send(method.toUpperCase(), base + path.replace('{id}', id), {
            ...(includes && { query: { include } }),
            ...(hasBody && {
              body: includesInBody ? { include: ['many'], sort: [{ column: '_id', dir: 'DESC' }] } : {},
            }),
          })
          ok(method, O(names[0]) + path, answer, 200)
        }
      }
      await readAll(reads)
      for (const relationship of ['one', 'many', 'twin']) {
        ok(
          'get',
          `${O(names[0])}/records/{id}/relationships/${relationship}`,
          await api.get(`${base}/records/${id}/relationships/${relationship}`, {
            query: { include: `${relationship}.${{ one: 'ones', many: 'manies', twin: 'twin_of' }[relationship]}` },
          }),
          200,
        )
      }
      ok('delete', `${O(names[0])}/records/{id}`, await api.delete(`${base}/records/${id}`), 200)
      await readAll(reads.filter(({ path }) => !path.includes('{id}')))
      ok(
        'post',
        `${O(names[0])}/records/restore`,
        await api.post(`${base}/records/restore`, { body: { items: [id] } }),
        200,
      )
    }),
    { numRuns: sized(6, 1), endOnFailure: true },
  )
  expect(written).toBe(sized(48, 8))
}, 120_000)

describe('the shapes of what is sent', () => {
  /**
   * Good values of some type, bad ones of others; an empty text, which counts as none wherever it stands, is none of
   * them.
   */
  const pool: Json[] = [
    'a',
    'b c',
    '2024-02-29',
    '2024-02-29T10:00:00Z',
    0,
    3,
    2.5,
    -1,
    7,
    true,
    false,
    [],
    ['a'],
    [1, 2],
    {},
    { a: 1 },
    { items: [] },
    { items: ['A'] },
    { items: ['a@example.com', 'x'] },
    { items: [5] },
    { items: ['a'], more: 1 },
    { text: [] },
    { text: [block] },
    { text: [1] },
    { first_name: 'Ada' },
    { first_name: 5 },
    { nick_name: 'A' },
    null,
  ]

  test('let everything through that the server takes, and refuse what it refuses for its form', async () => {
    const cases = fc.sample(fieldCases, { seed: 7, numRuns: sized(120, 10) })
    const bySchema = new Map(cases.map(({ schema }) => [JSON.stringify(schema), schema]))
    const fields = Object.fromEntries([...bySchema.values()].map((schema, index) => [`f${index}`, schema]))
    expect(bySchema.size).toBeGreaterThan(sized(25, 3))
    const object = await make(fields)
    const { id } = await create(object, {})
    const described = new Described(await fetchDocument())
    const path = `${O(object)}/records/{id}`
    // Texts that no schema has in the same words everywhere.
    const beyond =
      /^Must be [{[]|multiple of|pattern|e-mail|domain|host name|must be a URI|id of a user|Must have at least/i
    for (const [name, schema] of Object.entries(fields)) {
      for (const value of pool) {
        const body = { data: { type: object, id, attributes: { [name]: value } } }
        const faults = described.faultsOfBody('patch', path, body)
        const answer = await api.patch(`${W}/objects/${object}/records/${id}`, { body })
        const told =
          `${JSON.stringify(schema)} = ${JSON.stringify(value)}: ${faults} / ` +
          JSON.stringify(answer.body.errors?.[0]?.detail)
        if (answer.status === 200) expect(faults, told).toBeUndefined()
        else if (!beyond.test(answer.body.errors[0].detail)) expect(faults, told).toBeDefined()
      }
    }
  })
})

describe('the document', () => {
  test('is that of the schemas: it changes with them, and only then', async () => {
    const object = await make({ name: { type: 'string', xSvcPrimary: true }, color: { enum: ['red', 'blue'] } })
    const first = await api.get(`${W}/openapi.json`, { as: 'viewer' })
    const type = typeName(object)
    expect(first.body.components.schemas[`${type}Attributes`].properties.color).toMatchObject({
      type: ['string', 'null'],
      enum: ['red', 'blue', null],
    })
    const tag = first.headers['etag']!
    expect(tag).toMatch(/^"\d+"$/)
    const again = await api.get(`${W}/openapi.json`, { headers: { 'If-None-Match': tag } })
    expect([again.status, again.body, again.headers['etag']]).toEqual([304, undefined, tag])
    expect((await api.get(`${W}/openapi.json`, { headers: { 'If-None-Match': `"1", W/${tag}` } })).status).toBe(304)
    await edit(object, (properties) => {
      properties.colour = { ...properties.color, xSvcPrevName: 'color' }
      delete properties.color
    })
    const second = await api.get(`${W}/openapi.json`, { headers: { 'If-None-Match': tag } })
    expect(second.status).toBe(200)
    expect(Object.keys(second.body.components.schemas[`${type}Input`].properties)).toEqual(['name', 'colour'])
  })

  test('has no path for what a read-only object does not take', async () => {
    const { paths, components } = await fetchDocument()
    const ofUsers = Object.entries(paths as Record<string, Json>)
      .filter(([path]) => path.startsWith(O('user')))
      .flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path.slice(O('user').length)}`))
    expect(ofUsers.toSorted()).toEqual(reads.map(({ method, path }) => `${method} ${path}`).toSorted())
    expect(components.schemas).not.toHaveProperty('UserInput')
  })

  test('names sort columns, includes and unique fields', async () => {
    const { schemas } = (await fetchDocument()).components
    expect(schemas.DealUniqueField.enum).toEqual(['name'])
    expect(schemas.TaskColumn.enum).toContain('due_date')
    expect(schemas.TaskColumn.enum).not.toContain('description')
    expect(schemas.DealInclude.enum).toEqual(
      expect.arrayContaining(['company_id', 'people', 'people.company_id', 'people.company_id.deals']),
    )
    expect(Object.keys(schemas.DealFilter.properties)).toEqual(
      expect.arrayContaining(['filter[amount]', 'filter[amount][Greater than]', 'filter[_created_at][Is after]']),
    )
  })

  test('refers to nothing that is not there, and holds nothing without a reference to it', async () => {
    const document = await fetchDocument()
    const pointers = new Set(
      [...JSON.stringify(document).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)].map(
        ([, kind, name]) => `${kind}/${name}`,
      ),
    )
    const there = Object.entries(document.components as Record<string, Json>)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, byName]) => Object.keys(byName).map((name) => `${kind}/${name}`))
    expect([...pointers].toSorted()).toEqual(there.toSorted())
  })
})
