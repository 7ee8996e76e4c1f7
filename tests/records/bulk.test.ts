import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { freshAddress, pointersOf, recordsOf, recordsPath, unknownId } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)
const items = (...list: string[]) => ({ items: list })

const createMany = (data: readonly Json[]) =>
  app.api.post(`${recordsPath('person')}/bulk`, { as: 'member', body: { data } })
const updateMany = (data: readonly Json[], meta?: Json) =>
  app.api.patch(recordsPath('person'), { as: 'member', body: { data, ...(meta && { meta }) } })
const person = (attributes: Json = {}) => ({ type: 'person', attributes })
const change = (id: string, attributes: Json) => ({ ...person(attributes), id })

describe('create', () => {
  test('makes all, in the order of the body, each with its event', async () => {
    await app.events()
    const { status, body } = await createMany(
      Array.from({ length: 2000 }, (_, index) => person({ job_title: `Job ${index}` })),
    )
    expect(status).toBe(201)
    expect(body.data.map((one: Json) => one.attributes.job_title)).toEqual(
      Array.from({ length: 2000 }, (_, index) => `Job ${index}`),
    )
    expect((await app.events()).map(({ record_id }) => record_id)).toEqual(body.data.map((one: Json) => one.id))
    expect(await records.count('person')).toBe(2000)
  })

  const company = { type: 'company', attributes: {} }
  const refusals: [string, Json[], number, string[]][] = [
    ['one with a wrong value', [person(), person({ job_title: 5 }), person()], 422, ['/data/1/attributes/job_title']],
    [
      'several faults in several records',
      [person({ a: 1 }), person(), person({ job_title: 5 })],
      422,
      ['/data/0/attributes/a', '/data/2/attributes/job_title'],
    ],
    ['one of another type', [person(), company], 422, ['/data/1/type']],
    ['one with an id', [person(), { ...person(), id: unknownId }], 422, ['/data/1/id']],
    [
      'one that refers to nothing',
      [person(), person({ company_id: unknownId })],
      422,
      ['/data/1/attributes/company_id'],
    ],
    ['none at all', [], 422, ['/data']],
    ['more than 10,000', Array.from({ length: 10_001 }, () => person()), 422, ['/data']],
    [
      'two with one address',
      [
        person({ email_addresses: items('twice@example.com') }),
        person({ email_addresses: items('TWICE@example.com') }),
      ],
      409,
      ['/data/1/attributes/email_addresses'],
    ],
  ]
  test.for(refusals)('all or none: %s', async ([, data, status, pointers]) => {
    const before = await records.count('person')
    await app.events()
    const answer = await createMany(data)
    expect([answer.status, pointersOf(answer)]).toEqual([status, pointers])
    expect(await records.count('person')).toBe(before)
    expect(await app.events()).toEqual([])
  })

  test('all or none: one with an address that is taken', async () => {
    const address = freshAddress()
    const { id } = await records.create('person', { email_addresses: items(address) })
    const before = await records.count('person')
    const { status, body } = await createMany([person(), person({ email_addresses: items(address) })])
    expect([status, body.errors[0].meta.existing_id, body.errors[0].source.pointer]).toEqual([
      409,
      id,
      '/data/1/attributes/email_addresses',
    ])
    expect(await records.count('person')).toBe(before)
  })
})

describe('update', () => {
  test('changes all, in the order of the body; what does not differ is left alone', async () => {
    const [one, two, three] = await records.createMany('person', [
      { job_title: 'A' },
      { job_title: 'B' },
      { job_title: 'C' },
    ])
    await app.events()
    const { status, body } = await updateMany(
      [
        change(three.id, { job_title: 'C2' }),
        change(one.id, { job_title: 'A' }),
        change(two.id, { labels: items('x') }),
      ],
      { labels: { collection: 'append' } },
    )
    expect(status).toBe(200)
    expect(body.data.map((record: Json) => [record.id, record.attributes.job_title])).toEqual([
      [three.id, 'C2'],
      [one.id, 'A'],
      [two.id, 'B'],
    ])
    expect(new Set((await app.events()).map(({ record_id }) => record_id))).toEqual(new Set([two.id, three.id]))
    expect((await records.get('person', one.id)).headers['etag']).toBe('"1"')
  })

  test('every id is checked first: 404 before any fault of a body', async () => {
    const [one] = await records.createMany('person', [{}])
    await app.events()
    for (const wrong of [unknownId, 'nothing']) {
      const { status, body } = await updateMany([change(one.id, { job_title: 5 }), change(wrong, {})])
      expect([status, body.errors[0].meta]).toEqual([404, { ids: [wrong] }])
    }
    expect(await app.events()).toEqual([])
  })

  test('all or none', async () => {
    const address = freshAddress()
    const [one, two] = await records.createMany('person', [{}, {}])
    await records.create('person', { email_addresses: items(address) })
    await app.events()
    const wrong: [Json, number, string][] = [
      [change(two.id, { job_title: 5 }), 422, '/data/1/attributes/job_title'],
      [change(one.id, { job_title: 'x' }), 422, '/data/1/id'],
      [change(two.id, { email_addresses: items(address) }), 409, '/data/1/attributes/email_addresses'],
      [{ ...change(two.id, {}), type: 'deal' }, 422, '/data/1/type'],
      [person(), 422, '/data/1/id'],
    ]
    for (const [second, status, pointer] of wrong) {
      const answer = await updateMany([change(one.id, { job_title: 'Changed' }), second])
      expect([answer.status, pointersOf(answer)]).toEqual([status, [pointer]])
    }
    expect(await app.events()).toEqual([])
    expect((await records.get('person', one.id)).body.data.attributes.job_title).toBeNull()
  })

  test('records may exchange unique values', async () => {
    const [a, b] = [freshAddress(), freshAddress()]
    const [one, two] = await records.createMany('person', [
      { email_addresses: items(a) },
      { email_addresses: items(b) },
    ])
    const { status, body } = await updateMany([
      change(one.id, { email_addresses: items(b) }),
      change(two.id, { email_addresses: items(a) }),
    ])
    expect([status, body.data?.map((record: Json) => record.attributes.email_addresses.items[0])]).toEqual([
      200,
      [b, a],
    ])
    expect((await records.post('person', { email_addresses: items(a) })).body.errors[0].meta.existing_id).toBe(two.id)
  })
})

test('a body of more values than all its records may have is refused before they are read', async () => {
  const { status, body } = await app.api.post(`${recordsPath('company')}/bulk`, {
    body: `{"data":[${'{},'.repeat(1_000_000)}1]}`,
  })
  expect([status, body.errors[0].detail]).toEqual([422, 'A body has at most 1000000 values.'])
})
