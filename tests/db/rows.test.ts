import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { NewRowOf, RowOf } from '../../packages/server/src/db/columns.ts'
import type { Tx } from '../../packages/server/src/db/tx.ts'
import { param, statement } from '../../packages/server/src/db/statement.ts'
import { freshDatabase } from './fresh.ts'

const workspaceId = '01900000-0000-7000-8000-000000000000'
const id = (number: number): string => `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`
const range = (length: number): number[] => Array.from({ length }, (_, number) => number)

const event = (number: number, more: Partial<RowOf<'event'>> = {}): RowOf<'event'> => ({
  workspace_id: workspaceId,
  id: id(number),
  sequence: number,
  type: 'record.created',
  object: null,
  record_id: null,
  actor: { type: 'user' },
  silent: false,
  payload: {},
  created_at: 1_700_000_000_000 + number,
  ...more,
})

type Database = Awaited<ReturnType<typeof freshDatabase>>

const events = (database: Database): Promise<Record<string, unknown>[]> =>
  database.reader.query(({ knex }) => knex('event').select('*').orderBy('id'))

/**
 * Everything that a text may hold: neither database takes U+0000 or half of a pair everywhere, so the API refuses both.
 */
const text = fc
  .oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }))
  .map((value) => value.replaceAll('\u0000', ''))
const awkward = [
  `"quoted" 'quoted'`,
  'C:\\path\\n',
  '{1,2}',
  '{"a"}',
  'NULL',
  '',
  ' ',
  '\n\t\r',
  '$1 ? ?? :name',
  'é',
  'e\u0301',
  '👩‍👩‍👧',
  '\uFEFF',
  '\u2028',
  "'); drop table event; --",
]
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    text,
    fc.constantFrom(...awkward),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.dictionary(
    text.filter((key) => key !== '__proto__'),
    tie('value'),
    { maxKeys: 4 },
  ),
})).object
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const rowArbitrary = fc.record({
  type: fc.oneof(text, fc.constantFrom(...awkward)),
  object: fc.option(fc.oneof(text, fc.constantFrom(...awkward))),
  record_id: fc.option(fc.uuid()),
  actor: json,
  silent: fc.boolean(),
  payload: json,
  created_at: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
})

test('rows come back as they went in, one by one and many at once', async () => {
  const database = await freshDatabase()
  await fc.assert(
    fc.asyncProperty(fc.array(rowArbitrary, { minLength: 1, maxLength: 5 }), async (values) => {
      const rows = values.map((value, number) => ({ ...event(number), ...value }))
      await database.write((tx) => tx.change(({ knex }) => knex('event').delete()))
      await database.write((tx) => tx.insert('event', rows))
      expect(await events(database)).toEqual(plain(rows))
    }),
    { numRuns: 150 },
  )
})

test.each([0, 1, 2, 1000])('%i rows are inserted, changed and deleted', async (count) => {
  const database = await freshDatabase()
  await database.write(async (tx) => {
    await tx.insert('event', [event(5000)])
    await tx.insert(
      'event',
      range(count).map((number) => event(number, { payload: { number, text: awkward[number % awkward.length] } })),
    )
  })
  const [other, ...inserted] = (await events(database)).toReversed()
  expect(inserted.map(({ payload }) => payload).toReversed()).toEqual(
    range(count).map((number) => ({ number, text: awkward[number % awkward.length] })),
  )

  const changes = range(count).map((number) => ({
    workspace_id: workspaceId,
    id: id(number),
    silent: true,
    object: number % 2 === 0 ? null : 'people',
    payload: [number, null, '\\'],
  }))
  await database.write((tx) => tx.updateByKey('event', ['workspace_id', 'id'], changes))
  const changed = await events(database)
  expect(changed.slice(0, count)).toMatchObject(changes)
  expect(changed.slice(0, count).map(({ created_at }) => created_at)).toEqual(
    range(count).map((number) => 1_700_000_000_000 + number),
  )

  await database.write((tx) =>
    tx.deleteByKey(
      'event',
      range(count).map((number) => ({ workspace_id: workspaceId, id: id(number) })),
    ),
  )
  expect(await events(database)).toEqual([other])
})

test('changes to several workspaces at once stay apart', async () => {
  const database = await freshDatabase()
  const workspaces = [id(1), id(2), id(3)]
  const totals = (numbers: number[]) =>
    workspaces.map((workspace, index) => ({ workspace_id: workspace, object: 'people', total: numbers[index]! }))
  const read = () => database.reader.query(({ knex }) => knex('record_count').orderBy('workspace_id'))
  await database.write((tx) => tx.insert('record_count', totals([1, 2, 3])))
  await database.write((tx) =>
    tx.updateByKey('record_count', ['workspace_id', 'object'], totals([10, 20, 30]).slice(1)),
  )
  expect(await read()).toEqual(totals([1, 20, 30]))
  await database.write((tx) =>
    tx.deleteByKey(
      'record_count',
      workspaces.slice(0, 2).map((workspace_id) => ({ workspace_id, object: 'people' })),
    ),
  )
  expect(await read()).toEqual(totals([1, 20, 30]).slice(2))
})

test('a delete by part of the key takes all rows under it', async () => {
  const database = await freshDatabase()
  const row = (record: number, field: string) => ({
    workspace_id: workspaceId,
    field,
    key_value: String(record),
    record_id: id(record),
  })
  await database.write(async (tx) => {
    await tx.insert(
      'unique_key',
      range(4).flatMap((record) => [row(record, 'people.email'), row(record, 'people.handle')]),
    )
    await tx.deleteByKey(
      'unique_key',
      [1, 3].map((record) => ({ workspace_id: workspaceId, record_id: id(record) })),
    )
  })
  const left = await database.reader.query<{ record_id: string }>(({ knex }) =>
    knex('unique_key').select('record_id').orderBy('record_id'),
  )
  expect(left.map(({ record_id }) => record_id)).toEqual([id(0), id(0), id(2), id(2)])
})

const insertNew = (tx: Tx, rows: NewRowOf<'unique_key'>[]) =>
  tx.insertNew('unique_key', rows, ['key_value', 'record_id'])

test.each([0, 1, 1000])('of %i new rows and some that exist, the new ones are inserted and named', async (count) => {
  const database = await freshDatabase()
  const row = (number: number, record: number) => ({
    workspace_id: workspaceId,
    field: 'people.email',
    key_value: `a'"\\${number}`,
    record_id: id(record),
  })
  await database.write((tx) => tx.insert('unique_key', [row(5000, 1), row(5001, 1)]))
  const inserted = await database.write((tx) =>
    insertNew(tx, [row(5000, 2), ...range(count).map((number) => row(number, 3)), row(5001, 2)]),
  )
  expect(inserted).toEqual(range(count).map((number) => ({ key_value: `a'"\\${number}`, record_id: id(3) })))
  const twice = await database.write((tx) => insertNew(tx, [row(6000, 1), row(6000, 2)]))
  expect(twice, 'the first of two under one key').toEqual([{ key_value: `a'"\\6000`, record_id: id(1) }])
  expect(await database.write((tx) => insertNew(tx, []))).toEqual([])
})

test('numbers keep all their digits, and infinities are no JSON', async () => {
  const database = await freshDatabase()
  const numbers = [0, 1, -1, 0.1, 1 / 3, 1e21, 5e-324, Number.MAX_VALUE, Number.MIN_SAFE_INTEGER, 2 ** 53]
  await database.write((tx) =>
    tx.insert(
      'field_number',
      numbers.map((number, index) => ({
        workspace_id: workspaceId,
        field: 'deals.value',
        is_null: 0,
        number_value: number,
        record_id: id(index),
        visibility: 1,
      })),
    ),
  )
  const rows = await database.reader.query<{ number_value: number }>(({ knex }) =>
    knex('field_number').select('number_value').orderBy('record_id'),
  )
  expect(rows.map(({ number_value }) => number_value)).toEqual(numbers)
})

test('texts sort by their bytes, whatever the locale', async () => {
  const database = await freshDatabase()
  const texts = ['a', 'B', 'ä', 'z', 'Z', '', 'a b', 'a-b', 'ab', '\u{1F600}', '\uFFFD', 'é', 'e\u0301']
  await database.write((tx) =>
    tx.insert(
      'field_text',
      texts.map((value, index) => ({
        workspace_id: workspaceId,
        field: 'people.name',
        is_null: 0,
        text_value: value,
        record_id: id(index),
        visibility: 1,
      })),
    ),
  )
  const rows = await database.reader.query<{ text_value: string }>(({ knex }) =>
    knex('field_text').select('text_value').orderBy('text_value'),
  )
  expect(rows.map(({ text_value }) => text_value)).toEqual(
    texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  )
})

test('counts, sums and what a statement changed are numbers', async () => {
  const database = await freshDatabase()
  const sums = statement<{ object: string }, { rows: number; total: number }>(({ knex }) =>
    knex('record_count_delta').where('object', param('object')).count('* as rows').sum('delta as total'),
  )
  const remove = statement<{ object: string }, never>(({ knex }) =>
    knex('record_count_delta').where('object', param('object')).delete(),
  )
  await database.write((tx) =>
    tx.insert(
      'record_count_delta',
      [1, 2, 3].map((delta) => ({ workspace_id: workspaceId, object: 'people', id: id(delta), delta })),
    ),
  )
  expect(await database.reader.all(sums, { object: 'people' })).toEqual([{ rows: 3, total: 6 }])
  expect(await database.reader.first(sums, { object: 'none' })).toEqual({ rows: 0, total: null })
  expect(await database.write((tx) => tx.run(remove, { object: 'none' }))).toBe(0)
  expect(await database.write((tx) => tx.run(remove, { object: 'people' }))).toBe(3)
})
