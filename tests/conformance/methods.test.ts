import { expect, test } from 'vitest'
import { version, type Endpoint, type Method } from '@kontor/contract'
import { startApp } from '../harness/app.ts'
import { securityHeaders } from '../harness/security-headers.ts'
import { turnOf } from '../harness/size.ts'
import { endpoints, exampleInput, select } from './endpoints.ts'
import { expectError, expectSuccess } from './expect.ts'
import { pathOf } from './surfaces.ts'

const app = await startApp()
const { api, baseUrl, origin } = app

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly Method[]

/** By path, the methods that it takes. */
const takenBy = Map.groupBy(endpoints, ({ endpoint }) => endpoint.path)
const taken = (path: Endpoint['path']): Method[] =>
  methods.filter((method) => takenBy.get(path)?.some(({ endpoint }) => endpoint.method === method))
const named = (path: string): string => path.replaceAll(/\{workspace\}/g, 'acme').replaceAll(/\{\w+\}/g, 'x')

/** `…/records/bulk` may be a path of its own and one of `…/records/{id}`. */
const isConcrete = (path: string): boolean =>
  ![...takenBy.keys()].some(
    (other) => other !== path && new RegExp(`^${other.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(named(path)),
  )

test.for(turnOf(0, [...takenBy.keys()].filter(isConcrete)))(
  '%s: another method is 405 with Allow, OPTIONS says the same, and HEAD is there where GET is',
  async (path) => {
    const own = taken(path)
    const allow = [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
    for (const method of [...methods, 'HEAD', 'TRACE', 'PROPFIND'].filter((one) => !allow.split(', ').includes(one))) {
      const { status, headers, body } = await api.send(method, named(path))
      expect([method, status, headers['allow']]).toEqual([method, 405, allow])
      if (method !== 'HEAD')
        expect(body.errors[0]).toMatchObject({ code: 'method_not_allowed', status: '405', id: headers['x-request-id'] })
      expect(headers).toMatchObject(securityHeaders)
    }
    const { status, headers, body } = await api.send('OPTIONS', named(path), { as: 'anonymous' })
    expect([status, headers['allow'], body]).toEqual([204, allow, undefined])
  },
)

test('a path that is none stays 404, whatever the method', async () => {
  for (const method of [...methods, 'OPTIONS']) expect((await api.send(method, '/nothing')).status).toBe(404)
})

test('the document takes GET alone', async () => {
  const { status, headers, body } = await api.post('/openapi.json', { body: {} })
  expect([status, headers['allow'], body.errors[0].code]).toEqual([405, 'GET, HEAD', 'method_not_allowed'])
})

// The check of an address answers only senders who are checked in this way.
const withoutBody = select(({ body }: Endpoint) => body === undefined).filter(
  ([name]) => name !== 'inboundWebhooks.check',
)

test.for(turnOf(1, withoutBody))(
  '%s: a body where none is taken is 422, whatever it is, and nothing happens',
  async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    await app.events()
    const path = pathOf(endpoint, input)
    for (const body of ['{"a":1}', '[]', 'null', '{', '""', 'x'.repeat(200_000), `{}${' '.repeat(200)}x`]) {
      for (const type of ['application/json', 'text/plain'])
        expectError(
          endpoint,
          await api.send(endpoint.method, path, { body, headers: { 'Content-Type': type } }),
          'invalid_body',
        )
    }
    expect(await app.events()).toEqual([])
    expectSuccess(endpoint, await api.send(endpoint.method, path, { body: ' { } ' }))
  },
)

test.for(
  turnOf(
    2,
    withoutBody.filter(([, { method }]) => method !== 'DELETE'),
  ),
)('%s: an empty body says nothing', async ([name, endpoint]) => {
  expectSuccess(
    endpoint,
    await api.send(endpoint.method, pathOf(endpoint, await exampleInput(app, name, endpoint)), { body: '\n' }),
  )
})

test('the index names the service, its version and its documents, with or without a slash', async () => {
  const documents = {
    openapi: `${baseUrl}/openapi.json`,
    actions: `${origin}/actions/openapi.json`,
    reference: `${origin}/docs/`,
  }
  for (const url of [baseUrl, `${baseUrl}/`, `${baseUrl}?`]) {
    const { status, body } = await api.get(url, { as: 'anonymous' })
    expect([status, body]).toEqual([200, { name: 'Kontor', version, documents }])
  }
  for (const document of [documents.openapi, documents.actions])
    expect((await api.get(document)).body.info.version).toBe(version)
})
