import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { RequestOptions } from '../harness/api.ts'
import type { Answer, Json } from '../harness/http.ts'
import { pointersOf, recordsOf, recordsPath } from '../harness/records.ts'
import { schemasOf } from '../harness/schemas.ts'

const app = await startApp()
const records = recordsOf(app)

const parcel = await schemasOf(app).make({
  name: { xSvcType: 'text', xSvcPrimary: true },
  data: { xSvcType: 'json' },
  place: { xSvcType: 'location' },
  amount: { xSvcType: 'number' },
})

/** Bodies are written by hand: a number of JavaScript is not what was meant. */
const create = (attributes: string, options: RequestOptions = {}): Promise<Answer> =>
  app.api.post(recordsPath(parcel), {
    as: 'member',
    body: `{"data":{"type":"${parcel}","attributes":${attributes}}}`,
    ...options,
  })

test.for([
  ['data', '9007199254740993'],
  ['data', '12345678901234567890'],
  ['data', '1e400'],
  ['data', '-1e400'],
  ['data', '1e-400'],
  ['data', '0.1000000000000000055'],
  ['amount', '0.30000000000000001'],
  ['amount', '999999999999.99999'],
  ['amount', '1E400'],
])('%s: a number %s that would change is refused', async ([field, numeral]) => {
  const answer = await create(`{"${field}":${numeral}}`)
  expect([answer.status, answer.body.errors[0].code, pointersOf(answer)]).toEqual([
    422,
    'invalid_body',
    [`/data/attributes/${field}`],
  ])
  expect(answer.body.errors[0].detail).toContain(numeral)
})

test('where it stands, however deep, and also as a member of a location', async () => {
  expect(pointersOf(await create('{"data":{"list":[1,{"id": 76561198000000001}]}}'))).toEqual([
    '/data/attributes/data/list/1/id',
  ])
  expect(pointersOf(await create('{"place":{"lat":52.520006599999999999999}}'))).toEqual(['/data/attributes/place/lat'])
})

test('numbers that come back as they are, are stored, whatever their spelling', async () => {
  const numerals = [
    '9007199254740992',
    '-9007199254740991',
    '12345678901234567000',
    '1.5e300',
    '5e-324',
    '1.50',
    '0.1',
    '1E3',
  ]
  const { status, body } = await create(
    `{"data":[${numerals.join()},"9007199254740993, 1e400"],` +
      '"place":{"lat":52.5200066,"lng":13.404954},"amount":99999999999.9999}',
  )
  expect(status).toBe(201)
  const { data } = (await records.get(parcel, body.data.id)).body
  expect(data.attributes).toMatchObject({
    data: [...numerals.map(Number), '9007199254740993, 1e400'],
    place: { lat: 52.520_006_6, lng: 13.404_954 },
    amount: 99_999_999_999.9999,
  })
})

describe('in a bulk', () => {
  const data = ['1', '9007199254740993', '3'].map((n) => `{"type":"${parcel}","attributes":{"data":{"n":${n}}}}`)
  const bulk = (atomic: boolean): Promise<Answer> =>
    app.api.post(`${recordsPath(parcel)}/bulk`, { as: 'member', query: { atomic }, body: `{"data":[${data.join()}]}` })

  test('of all or none it refuses all', async () => {
    const before = await records.count(parcel)
    const answer = await bulk(true)
    expect([answer.status, pointersOf(answer)]).toEqual([422, ['/data/1/attributes/data/n']])
    expect(await records.count(parcel)).toBe(before)
  })

  test('of items that stand for themselves it refuses its own', async () => {
    const { body } = await bulk(false)
    expect(body.results.map(({ status }: Json) => status)).toEqual([201, 422, 201])
    expect(body.results[1].errors[0].source.pointer).toBe('/data/1/attributes/data/n')
  })
})

test('over tRPC and actions too, and in any body', async () => {
  const body = `{"data":{"type":"${parcel}","attributes":{"data":[1e400]}}}`
  const call = `{"workspace":"acme","object":"${parcel}","body":${body}}`
  const base = new URL(app.baseUrl).origin
  const trpc = await app.api.post(`${base}/trpc/records.create`, { as: 'member', body: call })
  expect([trpc.status, JSON.stringify(trpc.body)]).toEqual([422, expect.stringContaining('/data/attributes/data/0')])
  const batch = await app.api.post(`${base}/trpc/records.create?batch=1`, { as: 'member', body: `{"0":${call}}` })
  expect([batch.status, JSON.stringify(batch.body)]).toEqual([422, expect.stringContaining('/data/attributes/data/0')])
  const action = await app.api.post(`${base}/actions/records.create`, { as: 'member', body: call })
  expect([action.status, pointersOf(action)]).toEqual([422, ['/data/attributes/data/0']])
  const whole = await app.api.post(recordsPath(parcel), { as: 'member', body: '1e400' })
  expect([whole.status, pointersOf(whole)]).toEqual([422, ['']])
  const filter = await app.api.post(`/workspaces/acme/objects/${parcel}/resources/query`, {
    as: 'member',
    body: '{"filter":{"field":"amount","op":"Is","value":9007199254740993}}',
  })
  expect([filter.status, pointersOf(filter)]).toEqual([422, ['/filter/value']])
})

test('what stands for such a number inside cannot be sent', async () => {
  expect((await create(String.raw`{"data":{"\u0000number":"5"}}`)).status).toBe(422)
})
