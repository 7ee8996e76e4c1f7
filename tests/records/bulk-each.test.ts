import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { RequestOptions } from '../harness/api.ts'
import type { Answer, Json } from '../harness/http.ts'
import { freshAddress, recordsOf, recordsPath, unknownId } from '../harness/records.ts'
import { sized } from '../harness/size.ts'

const app = await startApp()
const records = recordsOf(app)
const items = (...list: string[]) => ({ items: list })
const person = (attributes: Json = {}) => ({ type: 'person', attributes })

const createEach = (data: readonly Json[], more: Json = {}, options: RequestOptions = {}): Promise<Answer> =>
  app.api.post(`${recordsPath('person')}/bulk`, {
    as: 'member',
    body: { data, ...more },
    ...options,
    query: { atomic: false, ...options.query },
  })

const createAll = (data: readonly Json[], more: Json = {}): Promise<Answer> =>
  app.api.post(`${recordsPath('person')}/bulk`, { as: 'member', body: { data, ...more } })

/** Of each result its status, and the code and pointer of its errors. */
const outline = ({ body }: Answer): string[] =>
  body.results.map(({ status, errors }: Json) =>
    [status, ...(errors ?? []).map(({ code, source }: Json) => `${code} ${source?.pointer ?? ''}`)].join(' '),
  )

test('each item stands for itself: what can be written is, the rest says why not', async () => {
  const address = freshAddress()
  const holder = await records.create('person', { email_addresses: items(address) })
  const own = freshAddress()
  const before = await records.count('person')
  await app.events()
  const answer = await createEach([
    person({ job_title: 'First' }),
    person({ job_title: 5, a: 1 }),
    person({ email_addresses: items(own) }),
    person({ company_id: unknownId }),
    person({ email_addresses: items(address) }),
    { type: 'company', attributes: {} },
    person({ email_addresses: items(own.toUpperCase()) }),
    person({ job_title: 'Last' }),
  ])
  expect(answer.status).toBe(200)
  expect(outline(answer)).toEqual([
    '201',
    '422 invalid_body /data/1/attributes/job_title invalid_body /data/1/attributes/a',
    '201',
    '422 invalid_body /data/3/attributes/company_id',
    '409 unique_violation /data/4/attributes/email_addresses',
    '422 invalid_body /data/5/type',
    '409 unique_violation /data/6/attributes/email_addresses',
    '201',
  ])
  const { results, meta } = answer.body
  expect(meta).toEqual({ succeeded: 3, failed: 5, created: 3, updated: 0, unchanged: 0 })
  expect(results.map(({ index }: Json) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  expect(results[4].errors[0]).toMatchObject({
    id: answer.headers['x-request-id'],
    status: '409',
    meta: { existing_id: holder.id },
  })
  expect(results[6].errors[0].detail).toBe(
    'Two records of this request have the same email_addresses. If values of this field may repeat, an admin can set ' +
      'its `xSvcUnique` to false in the schema.',
  )
  const made = [results[0], results[2], results[7]].map(({ data }) => data)
  for (const data of made) expect((await records.get('person', data.id)).body.data).toEqual(data)
  expect((await app.events()).map(({ type, record_id }) => [type, record_id])).toEqual(
    made.map(({ id }) => ['record.created', id]),
  )
  expect(await records.count('person')).toBe(before + 3)
})

test('what a refused item wanted is there for the next', async () => {
  const [taken, shared, other] = [freshAddress(), freshAddress(), freshAddress()]
  await records.create('person', { email_addresses: items(taken) })
  const answer = await createEach([
    person({ email_addresses: items(taken, shared) }),
    person({ email_addresses: items(shared, other) }),
    person({ email_addresses: items(other) }),
    person({ job_title: 5, email_addresses: items('free@example.com') }),
    person({ email_addresses: items('free@example.com') }),
  ])
  expect(outline(answer).map((line) => line.slice(0, 3))).toEqual(['409', '201', '409', '422', '201'])
})

test('with match_on: found, changed, made, ambiguous', async () => {
  const [one, two, fresh] = [freshAddress(), freshAddress(), freshAddress()]
  const [first, second] = await records.createMany('person', [
    { email_addresses: items(one), job_title: 'A' },
    { email_addresses: items(two) },
  ])
  const answer = await createEach(
    [
      person({ email_addresses: items(one), job_title: 'A' }),
      person({ email_addresses: items(one, two) }),
      person({ email_addresses: items(two), job_title: 'B' }),
      person({ email_addresses: items(fresh) }),
      person({ email_addresses: items(fresh), job_title: 'C' }),
      person({ job_title: 'without a value' }),
    ],
    { match_on: 'email_addresses' },
  )
  expect(outline(answer)).toEqual([
    '200',
    '409 match_ambiguous /data/1/attributes/email_addresses',
    '200',
    '201',
    '200',
    '201',
  ])
  const { results, meta } = answer.body
  expect(meta).toEqual({ succeeded: 5, failed: 1, created: 2, updated: 2, unchanged: 1 })
  expect([results[0].data.id, results[2].data.id, results[4].data.id]).toEqual([
    first.id,
    second.id,
    results[3].data.id,
  ])
  expect(results[4].data.attributes.job_title).toBe('C')
  expect(new Set(results[1].errors[0].meta.candidates)).toEqual(new Set([first.id, second.id]))
})

test('a dry run says the same and writes nothing', async () => {
  const address = freshAddress()
  await records.create('person', { email_addresses: items(address) })
  const data = [person({ job_title: 'Dry' }), person({ email_addresses: items(address) })]
  const before = await records.count('person')
  await app.events()
  const rehearsal = await createEach(data, {}, { query: { dry_run: true } })
  expect(outline(rehearsal)).toEqual(['201', '409 unique_violation /data/1/attributes/email_addresses'])
  expect(rehearsal.body.meta).toEqual({
    dry_run: true,
    diff: [{ op: 'add', path: ['job_title'], val: 'Dry', oldVal: null, record_id: expect.any(String) }],
    succeeded: 1,
    failed: 1,
    created: 1,
    updated: 0,
    unchanged: 0,
  })
  expect(await app.events()).toEqual([])
  expect(await records.count('person')).toBe(before)
  expect(outline(await createEach(data))).toEqual(outline(rehearsal))
})

test('under a key, an answer in which items were refused is kept as any other', async () => {
  const options = { headers: { 'Idempotency-Key': 'each' } }
  const data = [person({ job_title: 'Once' }), person({ job_title: 5 })]
  const before = await records.count('person')
  const first = await createEach(data, {}, options)
  const again = await createEach(data, {}, options)
  expect([again.status, again.body, again.headers['idempotency-replayed']]).toEqual([200, first.body, 'true'])
  expect(await records.count('person')).toBe(before + 1)
  expect((await createEach([data[0]], {}, options)).body.errors[0].code).toBe('idempotency_key_reused')
})

describe('as a whole', () => {
  test.for<[string, number, () => Promise<Answer>]>([
    ['who may not write at all', 403, () => createEach([person()], {}, { as: 'viewer' })],
    ['a field to match on that is not unique', 422, () => createEach([person()], { match_on: 'job_title' })],
    ['a body of another form', 422, () => createEach([person()], { more: 1 })],
    ['what no text may hold, beside the items', 422, () => createEach([person()], { match_on: 'a\0' })],
    ['nothing', 422, () => createEach([])],
    [
      'an object that does not exist',
      404,
      () => app.api.post(`${recordsPath('persn')}/bulk`, { query: { atomic: false }, body: { data: [person()] } }),
    ],
    [
      'an object that no member writes',
      403,
      () =>
        app.api.post(`${recordsPath('user')}/bulk`, {
          query: { atomic: false },
          body: { data: [{ type: 'user', attributes: {} }] },
        }),
    ],
  ])('%s is refused', async ([, status, call]) => {
    await app.events()
    const answer = await call()
    expect([answer.status, answer.body.results]).toEqual([status, undefined])
    expect(await app.events()).toEqual([])
  })

  test('nothing can be written: still 200, with every reason', async () => {
    const answer = await createEach([person({ a: 1 }), person({ b: 1 })])
    expect([answer.status, answer.body.meta]).toEqual([
      200,
      { succeeded: 0, failed: 2, created: 0, updated: 0, unchanged: 0 },
    ])
  })

  const many = sized(10_000, 1000)

  test(`${many} items with a mistake in every hundredth`, async () => {
    const address = freshAddress()
    await records.create('person', { email_addresses: items(address) })
    const before = await records.count('person')
    const wrong = [
      { job_title: 5 },
      { email_addresses: items(address) },
      { company_id: unknownId },
      { email_addresses: items('first@example.org') },
    ]
    const data = Array.from({ length: many }, (_, index) =>
      person(
        index === 0
          ? wrong[3]
          : index % 100 === 99
            ? wrong[Math.floor(index / 100) % 4]
            : { job_title: `Job ${index}` },
      ),
    )
    const { body } = await createEach(data)
    expect(body.meta).toMatchObject({ succeeded: many * 0.99, failed: many / 100, created: many * 0.99 })
    expect(
      body.results.filter(({ errors }: Json) => errors !== undefined).every(({ index }: Json) => index % 100 === 99),
    ).toBe(true)
    expect(body.results[many / 2].data.attributes.job_title).toBe(`Job ${many / 2}`)
    expect(await records.count('person')).toBe(before + many * 0.99)
  })
})

test('without it, `meta` tells what became of the items, and a refusal names every item in conflict', async () => {
  const [one, two] = [freshAddress(), freshAddress()]
  const [holder] = await records.createMany('person', [
    { email_addresses: items(one), job_title: 'A' },
    { email_addresses: items(two) },
  ])
  const data = [
    person({ email_addresses: items(one), job_title: 'A' }),
    person({ email_addresses: items(two), job_title: 'B' }),
    person({ email_addresses: items(freshAddress()) }),
  ]
  expect((await createAll(data, { match_on: 'email_addresses' })).body.meta).toEqual({
    created: 1,
    updated: 1,
    unchanged: 1,
  })
  const { status, body } = await createAll([
    person({ email_addresses: items('x@example.net') }),
    data[0],
    data[1],
    person({ email_addresses: items('X@example.net') }),
  ])
  expect(status).toBe(409)
  expect(body.errors.map(({ source, meta }: Json) => [source.pointer, meta.existing_id])).toEqual([
    ['/data/1/attributes/email_addresses', holder.id],
    ['/data/2/attributes/email_addresses', expect.any(String)],
    ['/data/3/attributes/email_addresses', undefined],
  ])
})
