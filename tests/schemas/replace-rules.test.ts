import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { activitiesOf } from '../harness/activities.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, faultsOf, schemasOf } from '../harness/schemas.ts'
import { someOf } from '../harness/size.ts'
import { nameOnly } from './name-only.ts'

const app = await startApp()
const { make, get } = schemasOf(app)
const { edit } = changesOf(app)
const { post, create, createMany, patch, list } = recordsOf(app)
const record = recordsOf(app).get

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
  test.for(
    someOf<[string, Json, Json, Json[], Json[], string]>(
      [
        ['minimum', { type: 'number' }, { type: 'number', minimum: 3 }, [3, 4], [1, 2.5], 'Must be at least 3.'],
        ['maximum', { type: 'number', maximum: 9 }, { type: 'number', maximum: 3 }, [3], [9], 'Must be at most 3.'],
        [
          'multipleOf',
          { type: 'number' },
          { type: 'number', multipleOf: 0.5 },
          [1.5],
          [1.2],
          'Must be a multiple of 0.5.',
        ],
        ['integer', { type: 'number' }, { type: 'integer' }, [1], [1.5], 'Must be a whole number.'],
        [
          'minLength',
          { type: 'string' },
          { type: 'string', minLength: 2 },
          ['ab'],
          ['a'],
          'Must be at least 2 characters.',
        ],
        [
          'maxLength',
          { type: 'string' },
          { type: 'string', maxLength: 1 },
          ['a'],
          ['ab'],
          'Must be at most 1 characters.',
        ],
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
        [
          'number to rating',
          { type: 'number' },
          { xSvcType: 'rating' },
          [5],
          [6],
          'Must be a whole number from 0 to 5.',
        ],
        ['JSON to text', { xSvcType: 'json' }, { type: 'string' }, ['a'], [{ a: 1 }], 'Must be a string.'],
      ],
      6,
    ),
  )(
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

  test('rules that become looser look at no record', async () => {
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
    await expect(edit(object, (properties) => (properties.v = unique))).rejects.toThrow('`v` cannot become unique')
    expect((await post(object, { v: 'b' })).status).toBe(201)
  })
})

describe('options', () => {
  test('one that is dropped is cleared from records, seen by no reader from then on, and told', async () => {
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
