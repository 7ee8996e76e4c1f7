import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { freshAddress } from '../harness/records.ts'

const app = await startApp()

const batch = (method: 'GET' | 'POST', calls: readonly [string, Json][], headers: Record<string, string> = {}) => {
  const inputs = JSON.stringify(Object.fromEntries(calls.map(([, input], index) => [index, input])))
  const url = `${app.origin}/trpc/${calls.map(([name]) => name).join(',')}?batch=1`
  const all = { Authorization: `Bearer ${app.credentials.cast.tokens.admin}`, ...headers }
  return method === 'GET'
    ? app.http.send({ method, url: `${url}&input=${encodeURIComponent(inputs)}`, headers: all })
    : app.http.send({ method, url, headers: { 'Content-Type': 'application/json', ...all }, body: inputs })
}
const create = (attributes: Json = {}): [string, Json] => [
  'records.create',
  { workspace: 'acme', object: 'person', body: { data: { type: 'person', attributes } } },
]
const read: [string, Json] = ['schemas.get', { workspace: 'acme', object: 'deal' }]

test('answers each call in its place, 207 where they differ', async () => {
  const { status, body } = await batch('GET', [
    read,
    ['schemas.get', { workspace: 'acme', object: 'nothing' }],
    ['users.list', { workspace: 'acme' }],
    ['no.such', {}],
  ])
  expect(status).toBe(207)
  expect(body.map((one: Json) => one.error?.data.httpStatus ?? 200)).toEqual([200, 404, 200, 404])
  expect(body[0].result.data.data.attributes.title).toBe('deal')
  expect(body[1].error.data.body.errors[0].code).toBe('not_found')
})

test('has the status of its calls where they agree', async () => {
  expect((await batch('GET', [read, read])).status).toBe(200)
  const refused = await batch('GET', [read, read], { Authorization: 'api-key pk_x' })
  expect([refused.status, refused.headers['www-authenticate']]).toEqual([
    401,
    expect.stringContaining('resource_metadata="'),
  ])
})

test('writes each call by itself', async () => {
  const address = freshAddress()
  const attributes = { email_addresses: { items: [address] } }
  const { status, body } = await batch('POST', [create(attributes), create(attributes), create()])
  expect(status).toBe(207)
  expect(body.map((one: Json) => one.error?.data.body.errors[0].code ?? 'done').toSorted()).toEqual([
    'done',
    'done',
    'unique_violation',
  ])
})

test('under one Idempotency-Key is done once, call by call', async () => {
  const headers = { 'Idempotency-Key': 'a-batch' }
  const first = await batch('POST', [create(), create()], headers)
  const again = await batch('POST', [create(), create()], headers)
  expect(first.status).toBe(200)
  expect(new Set(first.body.map((one: Json) => one.result.data.data.id)).size).toBe(2)
  expect(again.body).toEqual(first.body)
})

test('holds at most 50 calls', async () => {
  const { status, body } = await batch(
    'GET',
    Array.from({ length: 51 }, () => read),
  )
  expect([status, body.error.data.body.errors[0].code]).toEqual([400, 'invalid_parameter'])
})
