import { describe, expect, test } from 'vitest'
import { fieldSchema, fieldTypes, formats, jsonTypes, type Keyword } from '@kontor/contract'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { faultsOf, schemasOf } from '../harness/schemas.ts'
import { cases } from './value-cases.ts'

const app = await startApp()
const { make, get } = schemasOf(app)
const { post, create, patch } = recordsOf(app)

const itemsShape = fieldSchema.shape.items.unwrap().shape

/**
 * Keywords that say nothing against a value: words, how fields are shown and found, and what is tested by itself below.
 */
const silent: readonly Keyword[] = [
  'title',
  'description',
  'examples',
  'deprecated',
  'default',
  'xSvcType',
  'xSvcPrimary',
  'xSvcUnique',
  'xSvcSearchable',
  'xSvcEnumMetadata',
  'xSvcPresentation',
  'xSvcRelationship',
]

test('every field type, every keyword and every format has a value that it takes and one that it refuses', () => {
  const all = Object.values(cases)
  const refusing = all.filter(({ bad }) => bad.length > 0)
  const uncovered = <T>(wanted: readonly T[], says: (schema: Json, one: T) => boolean, among = refusing) =>
    wanted.filter((one) => !among.some(({ schema }) => says(schema, one)))
  // The values of a reference depend on the other records.
  expect(uncovered(fieldTypes, (schema, type) => schema.xSvcType === type)).toEqual(['reference'])
  expect(
    uncovered(
      (Object.keys(fieldSchema.shape) as Keyword[]).filter((keyword) => !silent.includes(keyword)),
      (schema, keyword) => keyword in schema,
    ),
  ).toEqual([])
  expect(
    uncovered(
      Object.keys(itemsShape),
      (schema, keyword) =>
        schema.items?.[keyword] !== undefined || ['title', 'description', 'examples'].includes(keyword),
    ),
  ).toEqual([])
  expect(uncovered(formats, (schema, format) => schema.format === format)).toEqual([])
  expect(
    uncovered(
      jsonTypes.filter((type) => type !== 'null'),
      (schema, type) => [schema.type].flat().includes(type),
    ),
  ).toEqual([])
})

describe.each(Object.entries(cases))('%s', (_name, { schema, good, bad }) => {
  test('takes what it says and tells what is wrong with the rest', async () => {
    const object = await make({ name: { type: 'string', xSvcPrimary: true }, v: schema })
    expect((await get(object)).properties.v).toEqual(schema)
    for (const value of good) expect((await create(object, { v: value })).attributes.v).toEqual(value)
    const { id } = await create(object, { name: 'Other' })
    for (const [value, text, below = ''] of bad) {
      const answer = await post(object, { v: value })
      expect([answer.status, ...faultsOf(answer)], JSON.stringify(value)?.slice(0, 80)).toEqual([
        422,
        `/data/attributes/v${below}: ${text}`,
      ])
      expect(faultsOf(await patch(object, id, { v: value }))).toEqual([`/data/attributes/v${below}: ${text}`])
    }
    if (schema.readOnly !== true) expect((await patch(object, id, { v: null })).status).toBe(200)
  })
})

describe('defaults', () => {
  test('are filled in where nothing is said, and only at creation', async () => {
    const object = await make({
      name: { type: 'string', xSvcPrimary: true },
      stage: { enum: ['New', 'Old'], default: 'New' },
      score: { type: 'number', default: 0 },
      tags: { xSvcType: 'labels', default: { items: ['fresh'] } },
      note: {
        xSvcType: 'rich_text',
        default: { text: [{ type: 'paragraph', content: [{ type: 'text', text: 'Hi' }] }] },
      },
      internal: { type: 'string', readOnly: true, default: 'set' },
      code: { type: 'string', xSvcUnique: true },
    })
    const made = await create(object, { code: 'a' })
    expect(made.attributes).toMatchObject({
      stage: 'New',
      score: 0,
      tags: { items: ['fresh'] },
      internal: 'set',
      note: { text: [{ type: 'paragraph', content: [{ type: 'text', text: 'Hi', styles: {} }] }] },
    })
    expect((await create(object, { stage: 'Old', score: null, code: 'b' })).attributes).toMatchObject({
      stage: 'Old',
      score: null,
    })
    const cleared = await patch(object, made.id, { stage: null })
    expect(cleared.body.data.attributes.stage).toBeNull()
    const merged = await post(object, { code: 'a', name: 'Merged' }, { match_on: 'code' })
    expect([merged.status, merged.body.data.attributes.stage]).toEqual([200, null])
  })
})

describe('collections by strategy', () => {
  test('what is stored in the end is what is checked', async () => {
    const object = await make({ tags: { xSvcType: 'labels', minItems: 1, maxItems: 2, items: { maxLength: 3 } } })
    const { id } = await create(object, { tags: { items: ['a'] } })
    const write = (items: string[], collection: string) =>
      patch(object, id, { tags: { items } }, { meta: { tags: { collection } } })
    expect((await write(['b'], 'append')).body.data.attributes.tags).toEqual({ items: ['a', 'b'] })
    expect(faultsOf(await write(['c'], 'append'))).toEqual(['/data/attributes/tags: Must have at most 2 items.'])
    expect((await write(['b'], 'append')).status).toBe(200)
    expect((await write(['b', 'nothing'], 'remove')).body.data.attributes.tags).toEqual({ items: ['a'] })
    expect(faultsOf(await write(['long'], 'append'))).toEqual(['/data/attributes/tags: Must be at most 3 characters.'])
  })
})

test('unique fields of every type that may be', async () => {
  const object = await make({
    t: { type: 'string', xSvcUnique: true },
    n: { type: 'number', xSvcUnique: true },
    d: { xSvcType: 'date', xSvcUnique: true },
    e: { xSvcType: 'email_addresses', xSvcUnique: true },
  })
  const values = { t: 'Text', n: 4.5, d: '2026-01-01', e: { items: ['a@example.com'] } }
  await create(object, values)
  for (const [field, value] of Object.entries(values)) {
    const { status, body } = await post(object, { [field]: value })
    expect([status, body.errors[0].code, body.errors[0].meta.field], field).toEqual([409, 'unique_violation', field])
  }
})
