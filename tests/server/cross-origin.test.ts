import { describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../harness/app.ts'

const page = 'https://app.example.com'
const closed = await startApp()
const open = await startApp({ corsOrigins: [page, 'http://localhost:5173'], rateLimitPerMinute: 1000, beside: closed })
const openToAll = await startApp({ corsOrigins: ['*'], beside: closed })

const surfaces = [
  ['REST', 'GET', '/v1/workspaces/acme/users'],
  ['tRPC', 'GET', `/trpc/users.list?input=${encodeURIComponent('{"workspace":"acme"}')}`],
  ['actions', 'POST', '/actions/users.list'],
] as const

const send = (app: TestApp, method: string, path: string, headers: Record<string, string>) =>
  app.http.send({
    method,
    url: app.origin + path,
    headers: { ...(method === 'POST' && { 'Content-Type': 'application/json' }), ...headers },
    body: method === 'POST' ? '{"workspace":"acme"}' : undefined,
  })

const authorization = { Authorization: `Bearer ${closed.credentials.cast.tokens.admin}` }
const corsHeaders = (headers: Readonly<Record<string, string | undefined>>) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control'))

describe.each(surfaces)('%s', (_surface, method, path) => {
  test('lets a page of a listed origin read the answer and what stands in its headers', async () => {
    const { status, headers } = await send(open, method, path, { ...authorization, Origin: page })
    expect(status).toBe(200)
    expect(headers['access-control-allow-origin']).toBe(page)
    expect(headers['vary']).toBe('Origin')
    expect(headers['access-control-allow-credentials']).toBeUndefined()
    const exposed = headers['access-control-expose-headers']!.toLowerCase().split(',')
    expect(exposed).toEqual(expect.arrayContaining(['etag', 'retry-after', 'idempotency-replayed']))
    for (const name of [
      'x-request-id',
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
      'ratelimit',
      'ratelimit-policy',
    ]) {
      expect(headers[name], name).toBeDefined()
      expect(exposed).toContain(name)
    }
  })

  test('errors too', async () => {
    const { status, headers } = await send(open, method, path, { Origin: page })
    expect([status, headers['access-control-allow-origin']]).toEqual([401, page])
    expect(headers['access-control-expose-headers']).toContain('WWW-Authenticate')
  })

  test('answers a preflight without knowing the caller', async () => {
    const asked = {
      Origin: page,
      'Access-Control-Request-Method': 'PATCH',
      'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key,if-match',
    }
    const { status, headers, body } = await send(open, 'OPTIONS', path, asked)
    expect([status, body]).toEqual([204, undefined])
    expect(headers).toMatchObject({
      'access-control-allow-origin': page,
      'access-control-allow-headers': asked['Access-Control-Request-Headers'],
      'access-control-max-age': '7200',
    })
    for (const verb of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
      expect(headers['access-control-allow-methods']).toContain(verb)
  })

  test('tells another origin nothing, nor any where none is listed', async () => {
    for (const origin of ['https://evil.example.com', `${page}.evil.example.com`, 'http://app.example.com', 'null']) {
      expect(
        (await send(open, method, path, { ...authorization, Origin: origin })).headers['access-control-allow-origin'],
      ).toBeUndefined()
      expect(
        (await send(open, 'OPTIONS', path, { Origin: origin })).headers['access-control-allow-origin'],
      ).toBeUndefined()
    }
    expect(corsHeaders((await send(closed, method, path, { ...authorization, Origin: page })).headers)).toEqual([])
    const unanswered = await send(closed, 'OPTIONS', path, { Origin: page })
    // REST says what a path takes, the others know no such method: without the headers a browser goes no further.
    expect([unanswered.status, corsHeaders(unanswered.headers)]).toEqual([
      path.startsWith('/v1') ? 204 : expect.toSatisfy((status: number) => status >= 400),
      [],
    ])
    expect(corsHeaders((await send(open, method, path, authorization)).headers), 'without an origin').toEqual([])
  })

  test('lets every origin in where the setting says so', async () => {
    expect(
      (await send(openToAll, method, path, { ...authorization, Origin: 'https://anything.example.org' })).headers[
        'access-control-allow-origin'
      ],
    ).toBe('*')
  })
})
