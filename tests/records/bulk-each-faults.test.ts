import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { RequestOptions } from '../harness/api.ts'
import type { Answer, Json } from '../harness/http.ts'
import { freshAddress, recordsOf, recordsPath } from '../harness/records.ts'
import { schemasOf } from '../harness/schemas.ts'

const app = await startApp()
const records = recordsOf(app)

const parcel = await schemasOf(app).make({
  code: { xSvcType: 'text', xSvcPrimary: true, xSvcUnique: true },
  note: { xSvcType: 'long_text' },
  story: { xSvcType: 'rich_text' },
  place: { xSvcType: 'location' },
  tags: { xSvcType: 'labels' },
  data: { xSvcType: 'json' },
  amount: { xSvcType: 'number' },
})

const createEach = (data: readonly unknown[], more: Json = {}, options: RequestOptions = {}): Promise<Answer> =>
  app.api.post(`${recordsPath(parcel)}/bulk`, {
    as: 'member',
    body: JSON.stringify({ data, ...more }).replaceAll(/"<(\d+)>"/g, (_, depth) => deep(Number(depth))),
    ...options,
    query: { atomic: false, ...options.query },
  })

const statusesOf = ({ body }: Answer) => body.results.map(({ status }: Json) => status)

const item = (attributes: Json) => ({ type: parcel, attributes })

/** Deep values are put in as text, since what is too deep to store is too deep to be spelled by a program, too. */
const deep = (depth: number): string =>
  `{"type":"${parcel}","attributes":{"data":${'['.repeat(depth)}1${']'.repeat(depth)}}}`

const wrong: [string, unknown, string][] = [
  ['a NUL', item({ note: 'a\0b' }), '/attributes/note'],
  ['half of a surrogate pair', item({ note: 'a\ud83d' }), '/attributes/note'],
  ['the other half', item({ data: { deep: ['\udc00'] } }), '/attributes/data/deep/0'],
  [
    'more marks on a letter than can be sorted',
    item({ note: `a${'\u0301\u0316'.repeat(40_000)}` }),
    '/attributes/note',
  ],
  ['a name with a NUL', item({ data: { 'a\0': 1 } }), '/attributes/data'],
  ['a NUL in its type', { type: 'a\0', attributes: {} }, '/type'],
  ['values too deep', '<70>', '/attributes'],
  ['values far too deep', '<9001>', '/attributes'],
  ['another member', { ...item({}), id: 'x' }, '/id'],
  ['no type', { attributes: {} }, '/type'],
  ['no attributes', { type: parcel }, '/attributes'],
  ['attributes that are a list', { type: parcel, attributes: [] }, '/attributes'],
  ['a type that is too long', { type: 'x'.repeat(5000), attributes: {} }, '/type'],
  ['a text', 'text', ''],
  ['a number', 7, ''],
  ['nothing', null, ''],
  ['a list', [item({})], ''],
  ['a text over its limit', item({ code: 'x'.repeat(100_000) }), '/attributes/code'],
  ['a long text over its limit', item({ note: 'x'.repeat(200_000) }), '/attributes/note'],
  ['too many items', item({ tags: { items: Array.from({ length: 1001 }, String) } }), '/attributes/tags/items'],
  ['a name of an attribute that is huge', item({ ['y'.repeat(300_000)]: 1 }), '/attributes/yyyy'],
]
const faults = wrong.map(([, faulty]) => faulty)

test('whatever is wrong with an item is the error of that item, and the others go on', async () => {
  const options = { headers: { 'Idempotency-Key': 'all-faults' } }
  const before = await records.count(parcel)
  const first = await createEach(
    faults.flatMap((faulty, index) => [faulty, item({ note: `after ${index}` })]),
    {},
    options,
  )
  const { status, body } = first
  expect([status, body.meta]).toEqual([
    200,
    { succeeded: wrong.length, failed: wrong.length, created: wrong.length, updated: 0, unchanged: 0 },
  ])
  wrong.forEach(([what, , below], index) => {
    const [refused, next] = body.results.slice(2 * index)
    expect([refused.index, refused.status, refused.data], what).toEqual([2 * index, 422, undefined])
    expect(refused.errors[0], what).toMatchObject({ code: 'invalid_body', id: first.headers['x-request-id'] })
    expect(refused.errors[0].source.pointer.slice(0, 7 + below.length + String(index).length), what).toContain(
      `/data/${2 * index}${below}`,
    )
    expect(next.data.attributes.note, what).toBe(`after ${index}`)
  })
  expect(await records.count(parcel)).toBe(before + wrong.length)
})

test('under a key, what was refused is part of the request', async () => {
  const options = { headers: { 'Idempotency-Key': 'some-faults' } }
  const data = [...faults, item({ note: 'sound' })]
  const first = await createEach(data, {}, options)
  const again = await createEach(data, {}, options)
  expect([again.body, again.headers['idempotency-replayed']]).toEqual([first.body, 'true'])
  const other = await createEach([item({ note: '\0' }), ...data.slice(1)], {}, options)
  expect(other.body.errors[0].code).toBe('idempotency_key_reused')
})

test('where every item is wrong, and with match_on and a dry run', async () => {
  expect((await createEach(faults)).body.meta).toMatchObject({ succeeded: 0, failed: faults.length })
  const code = freshAddress()
  const upsert = (note: string) => [item({ code, note: '\0' }), item({ code, note })]
  expect(statusesOf(await createEach(upsert('a'), { match_on: 'code' }, { query: { dry_run: true } }))).toEqual([
    422, 201,
  ])
  expect(statusesOf(await createEach(upsert('a'), { match_on: 'code' }))).toEqual([422, 201])
  expect(statusesOf(await createEach(upsert('b'), { match_on: 'code' }))).toEqual([422, 200])
})

test('one of all or none is refused as before, with its pointer', async () => {
  const { status, body } = await createEach([item({}), item({ note: '\0' })], {}, { query: { atomic: true } })
  expect([status, body.errors[0].source.pointer]).toEqual([422, '/data/1/attributes/note'])
})

test.each([
  ['attributes', (many: Json) => item(many)],
  ['members', (many: Json) => ({ ...item({}), ...many })],
])('of items with many wrong %s a hundred errors are told, and beyond a thousand the first of each', async (_, of) => {
  const many = Object.fromEntries(Array.from({ length: 120 }, (_one, index) => [`note${index}`, index]))
  const { status, body } = await createEach([...Array.from({ length: 30 }, () => of(many)), item({})])
  expect([status, body.meta.failed, body.meta.succeeded]).toEqual([200, 30, 1])
  const errors = body.results.map((one: Json) => one.errors?.length)
  expect(errors).toEqual([...Array.from({ length: 10 }, () => 100), ...Array.from({ length: 20 }, () => 1), undefined])
  expect(body.results[29].errors[0].source.pointer).toMatch(/^\/data\/29\/(attributes\/)?note0$/)
})
