import { contract } from '@kontor/contract'
import { expect, test } from 'vitest'
import { atEnd } from '../harness/at-end.ts'
import { startApp } from '../harness/app.ts'

// Nothing is deprecated: here three operations are, for as long as this file runs.
function deprecate(operation: object, instead: string): void {
  Object.assign(operation, { deprecated: { since: '2026-12-01', ends: '2028-01-01', instead } })
  atEnd(() => void Reflect.deleteProperty(operation, 'deprecated'))
}
deprecate(contract.users.list, 'limits.get')
deprecate(contract.records.get, 'resources.get')
deprecate(contract.lists.list, 'lists.get')

const app = await startApp()

const told = {
  deprecation: `@${Date.parse('2026-12-01T00:00:00Z') / 1000}`,
  sunset: 'Sat, 01 Jan 2028 00:00:00 GMT',
  link: `<${app.baseUrl}/workspaces/acme/limits>; rel="successor-version"`,
}

test('each answer of an operation that is to go says since when, and until when', async () => {
  const { status, headers } = await app.api.get('/workspaces/acme/users')
  expect([status, headers]).toEqual([200, expect.objectContaining(told)])
  const refused = await app.api.get('/workspaces/acme/users?nothing=1')
  expect([refused.status, refused.headers]).toEqual([400, expect.objectContaining(told)])
  const input = encodeURIComponent(JSON.stringify({ workspace: 'acme' }))
  const overTrpc = await app.http.send({
    method: 'GET',
    url: `${app.origin}/trpc/users.list?input=${input}`,
    headers: { Authorization: `api-key ${app.credentials.keys.adminKey}` },
  })
  expect([overTrpc.status, overTrpc.headers]).toEqual([200, expect.objectContaining(told)])
})

test('what takes its place has an address for the same thing, where the call names all that it takes', async () => {
  const id = '019b2f6e-7a00-7000-8000-0000000000ff'
  const one = await app.api.get(`/workspaces/acme/objects/a%2Fb/records/${id}`)
  expect([one.status, one.headers['link']]).toEqual([
    404,
    `<${app.baseUrl}/workspaces/acme/objects/a%2Fb/resources/${id}>; rel="successor-version"`,
  ])
  const many = await app.api.get('/workspaces/acme/lists')
  expect(many.headers).toMatchObject({ deprecation: told.deprecation, sunset: told.sunset })
  expect(many.headers).not.toHaveProperty('link')
})

test('an operation that stays says nothing', async () => {
  const { headers } = await app.api.get('/workspaces/acme/objects/person/stats')
  expect(headers).not.toHaveProperty('deprecation')
  expect(headers).not.toHaveProperty('sunset')
  expect(headers).not.toHaveProperty('link')
})
