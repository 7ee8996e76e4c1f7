import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Answer } from '../harness/http.ts'
import { securityHeaders } from '../harness/security-headers.ts'
import { turnOf } from '../harness/size.ts'
import { all, exampleInput, select } from './endpoints.ts'
import { withoutTokens } from './normalise.ts'
import { pathOf, rest, surfaces } from './surfaces.ts'

const app = await startApp()
const { api } = app

function expectSecure({ headers }: Pick<Answer, 'headers'>): void {
  expect(headers).toMatchObject(securityHeaders)
  expect(headers['x-powered-by']).toBeUndefined()
  expect(headers['server']).toBeUndefined()
}

test.for(turnOf(22, all))(
  '%s: request id and security headers, in success and failure, on every surface',
  async ([name, endpoint]) => {
    for (const surface of Object.values(surfaces)) {
      const input = await exampleInput(app, name, endpoint)
      const outcome = await surface(app, name, endpoint, input, { headers: { 'X-Request-Id': `mine-${name}` } })
      const failed = await surface(app, name, endpoint, { ...input, bogus: 1 })
      expect(outcome.headers['x-request-id']).toBe(`mine-${name}`)
      expect(failed.status).toBe(400)
      expect(failed.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
      expect(failed.body.errors[0].id).toBe(failed.headers['x-request-id'])
      for (const one of [outcome, failed]) expectSecure(one)
    }
  },
)

test.for(turnOf(23, all))('%s: a problem of RFC 9457 for those who ask', async ([name, endpoint]) => {
  const headers = { Accept: 'application/problem+json', 'X-Request-Id': 'r1' }
  const {
    status,
    headers: sent,
    body,
  } = await rest(app, name, endpoint, await exampleInput(app, name, endpoint), { query: { bogus: 1 }, headers })
  expect(status).toBe(400)
  expect(sent['content-type']).toBe('application/problem+json; charset=utf-8')
  expect(body).toMatchObject({
    type: 'urn:kontor:error:unknown_parameter',
    title: 'Unknown query parameter',
    status: 400,
    instance: 'urn:kontor:request:r1',
    code: 'unknown_parameter',
  })
  expect(body.detail).toBe(body.errors[0].detail)
})

test('a request id that is no plain one is replaced', async () => {
  for (const id of ['a b', 'x'.repeat(129), '<script>', 'ä', '"']) {
    const { headers } = await api.get('/workspaces', { headers: { 'X-Request-Id': id } })
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  }
})

async function detailOf(method: string, path: string): Promise<string> {
  const { body } = await app.http.send({
    method,
    url: app.origin + path,
    headers: { Authorization: `Bearer ${app.credentials.cast.tokens.admin}` },
  })
  return (body.errors ?? body.error.data.body.errors)[0].detail
}

describe('what is no endpoint', () => {
  test.for([
    ['GET', '/v1/nothing'],
    ['GET', '/'],
    ['GET', '/v2/workspaces'],
    ['GET', '/v1//workspaces'],
    ['GET', '/v1/workspaces/acme/objects/person/records/a/b/c/d'],
    ['GET', '/v1/workspaces/acme/objects/person/records/%'],
    ['GET', '/v1/workspaces/%E0%A4%A/users'],
    ['GET', '/trpc/nothing.here'],
    ['GET', '/trpc/records.__proto__'],
    ['GET', '/trpc/records.create'],
    ['GET', '/trpc/%'],
    ['GET', '/trpc/\\\\'],
    ['GET', '/trpc//x:99999'],
    ['POST', '/trpc/records.get'],
    ['POST', '/actions/nothing.here'],
    ['GET', '/actions/records.get'],
    ['POST', '/actions/%'],
  ] as const)('%s %s: 404 in the one shape', async ([method, path]) => {
    const { status, headers, body } = await app.http.send({
      method,
      url: app.origin + path,
      headers: { Authorization: `Bearer ${app.credentials.cast.tokens.admin}` },
    })
    const error = body.errors?.[0] ?? body.error.data.body.errors[0]
    expect(error).toMatchObject({ code: 'not_found', status: '404', id: headers['x-request-id'] })
    expect(status).toBe(404)
    expectSecure({ headers })
  })

  test('what is nearly right is told what would be', async () => {
    expect(await detailOf('GET', '/trpc/records.gett')).toBe(
      'There is no procedure "records.gett". Did you mean "records.get"?',
    )
    expect(await detailOf('GET', '/trpc/records.create')).toBe('"records.create" is a mutation: send it by POST.')
    expect(await detailOf('POST', '/actions/records.gett')).toContain('Did you mean "records.get"?')
  })

  test('a URL of more than 8 KiB is 414 on every surface', async () => {
    for (const path of [
      '/v1/workspaces/acme/objects/person/resources?x=',
      '/v1/',
      '/trpc/users.list?input=',
      '/actions/',
      '/docs/',
    ]) {
      const { status, body } = await app.http.send({ method: 'GET', url: `${app.origin}${path}${'a'.repeat(8300)}` })
      const { errors } = body.error?.data.body ?? body
      expect([path, status, errors[0].code, errors[0].meta]).toEqual([path, 414, 'uri_too_long', { limit_bytes: 8192 }])
    }
  })
})

test.for(
  turnOf(
    24,
    select(({ method }) => method === 'GET'),
  ),
)('%s: HEAD is GET without its body, a slash at the end is nothing', async ([name, endpoint]) => {
  const input = await exampleInput(app, name, endpoint)
  const path = pathOf(endpoint, input)
  const whole = await api.get(path)
  const head = await api.send('HEAD', path)
  expect(head.status).toBe(200)
  expect(head.body).toBeUndefined()
  expect(head.headers['content-length']).toBe(whole.headers['content-length'])
  expect(withoutTokens((await api.get(`${path}/`)).body.data)).toEqual(withoutTokens(whole.body.data))
})
