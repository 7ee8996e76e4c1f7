import { contract } from '@kontor/contract'
import { afterAll, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'

// Nothing is deprecated: here one operation is, for as long as this file runs.
const operation: object = contract.users.list
Object.assign(operation, { deprecated: { since: '2026-12-01', ends: '2028-01-01', instead: 'users.get' } })
afterAll(() => void Reflect.deleteProperty(operation, 'deprecated'))

const app = await startApp()

const told = {
  deprecation: `@${Date.parse('2026-12-01T00:00:00Z') / 1000}`,
  sunset: 'Sat, 01 Jan 2028 00:00:00 GMT',
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

test('an operation that stays says nothing', async () => {
  const { headers } = await app.api.get('/workspaces/acme/objects/person/stats')
  expect(headers).not.toHaveProperty('deprecation')
  expect(headers).not.toHaveProperty('sunset')
})
