import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { createKey } from '../harness/people.ts'

const app = await startApp()
const key = app.credentials.keys.memberKey as string
const token = app.credentials.cast.tokens.member

type Headers = Readonly<Record<string, string>>

const surfaces = {
  rest: (headers: Headers) => app.http.send({ method: 'GET', url: `${app.baseUrl}/workspaces/acme/users`, headers }),
  trpc: (headers: Headers) =>
    app.http.send({
      method: 'GET',
      url: `${app.origin}/trpc/users.list?input=${encodeURIComponent('{"workspace":"acme"}')}`,
      headers,
    }),
  actions: (headers: Headers) =>
    app.http.send({
      method: 'POST',
      url: `${app.origin}/actions/users.list`,
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: '{"workspace":"acme"}',
    }),
}

describe.each(Object.entries(surfaces))('over %s', (_surface, send) => {
  test.for<[string, Headers]>([
    ['a key, as the specification has it', { Authorization: `api-key ${key}` }],
    ['a key as a Bearer token', { Authorization: `Bearer ${key}` }],
    ['a key as X-API-Key', { 'X-API-Key': key }],
    ['a key in both headers', { Authorization: `Bearer ${key}`, 'X-API-Key': key }],
    ['an access token as a Bearer token', { Authorization: `Bearer ${token}` }],
  ])('%s lets its owner in', async ([, headers]) => {
    expect((await send(headers)).status).toBe(200)
  })

  test.for<[string, Headers, string]>([
    ['an access token as api-key', { Authorization: `api-key ${token}` }, 'send it as \\"Authorization: Bearer'],
    ['an access token as X-API-Key', { 'X-API-Key': token }, 'send it as \\"Authorization: Bearer'],
    ['two different credentials', { Authorization: `Bearer ${token}`, 'X-API-Key': key }, 'Send only one credential'],
    ['two keys', { 'X-API-Key': `${key}, ${key}` }, 'Send only one credential'],
    ['a key that is empty', { 'X-API-Key': '' }, 'Send a credential in one of these forms'],
    ['nothing', {}, 'X-API-Key: <API_KEY>'],
  ])('%s is 401, with what to do', async ([, headers, hint]) => {
    const { status, body } = await send(headers)
    expect(status).toBe(401)
    expect(JSON.stringify(body)).toContain(hint)
    expect(JSON.stringify(body)).not.toContain(key)
  })
})

test('a key is a key however it is sent: endpoints that act as a person refuse it', async () => {
  for (const headers of [{ Authorization: `Bearer ${key}` }, { 'X-API-Key': key }]) {
    const { status, body } = await app.http.send({ method: 'GET', url: `${app.baseUrl}/workspaces`, headers })
    expect([status, body.errors[0].code]).toEqual([401, 'user_token_required'])
  }
})

test.for(['pk_', 'wk_'])('a key that begins with %s, as the first had it, goes on working', async (prefix) => {
  const { id } = await createKey(app.api.post, 'admin')
  const text = prefix + 'A'.repeat(43)
  const old = text + crc32(text).toString(36).padStart(7, '0')
  await app.replaceKey(id, old)
  for (const headers of [{ Authorization: `api-key ${old}` }, { Authorization: `Bearer ${old}` }, { 'X-API-Key': old }])
    expect((await surfaces.rest(headers)).status).toBe(200)
})

test('the document offers a key by either header', async () => {
  const { body } = await app.http.send({ method: 'GET', url: `${app.baseUrl}/openapi.json` })
  expect(body.components.securitySchemes.apiKeyHeader).toMatchObject({
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
  })
  expect(body.paths['/workspaces/{workspace}/users'].get.security).toContainEqual({ apiKeyHeader: [] })
  expect(body.paths['/workspaces'].get.security).not.toContainEqual({ apiKeyHeader: [] })
})
