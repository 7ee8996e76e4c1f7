import { Agent, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'

const app = await startApp()
const agent = new Agent({ keepAlive: true })
const people = '/v1/workspaces/acme/objects/person'

type Raw = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly bytes: Buffer
}

/** Bytes as they come: the client of the other tests makes text of them. */
const raw = (
  path: string,
  accepted: string | undefined,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const sent = {
      Authorization: `Bearer ${app.credentials.cast.tokens.admin}`,
      ...(accepted !== undefined && { 'Accept-Encoding': accepted }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    }
    const outgoing = request(app.origin + path, { agent, method, headers: sent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers as Raw['headers'],
          bytes: Buffer.concat(chunks),
        }),
      )
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })

const unpack = { br: brotliDecompressSync, gzip: gunzipSync }
const encodings = ['br', 'gzip'] as const

const record = (index: number) => ({
  type: 'person',
  attributes: { name: { first_name: 'Grace', last_name: `Hopper ${index}` }, job_title: 'Rear admiral' },
})
const ids: string[] = []
for (let made = 0; made < 5; made++) {
  const { status, body } = await app.api.post('/workspaces/acme/objects/person/records/bulk', {
    body: { data: Array.from({ length: 100 }, (_, index) => record(made * 100 + index)) },
  })
  expect(status, JSON.stringify(body).slice(0, 300)).toBe(201)
  ids.push(...body.data.map(({ id }: { id: string }) => id))
}

describe.for([
  '/v1/openapi.json',
  '/actions/openapi.json',
  '/docs/',
  '/docs/guides/',
  '/docs/guides/connect-an-app',
  '/docs/guides/sign-in',
])('%s', (path) => {
  test.for(encodings)('comes as %s, with a tag and a length of its own', async (encoding) => {
    const plain = await raw(path, undefined)
    const packed = await raw(path, encoding)
    expect(plain.headers).toMatchObject({
      vary: expect.stringContaining('Accept-Encoding'),
      'cache-control': 'no-cache',
      'content-length': String(plain.bytes.length),
    })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(packed.headers).toMatchObject({
      'content-encoding': encoding,
      'content-length': String(packed.bytes.length),
      'content-type': plain.headers['content-type'],
    })
    expect(packed.headers['vary']).toContain('Accept-Encoding')
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 1.5)
    expect(unpack[encoding](packed.bytes).equals(plain.bytes)).toBe(true)
    const tag = packed.headers['etag']!
    expect(tag).not.toBe(plain.headers['etag'])
    const again = await raw(path, encoding, { headers: { 'If-None-Match': tag } })
    expect([again.status, again.bytes.length, again.headers['etag'], again.headers['content-encoding']]).toEqual([
      304,
      0,
      tag,
      undefined,
    ])
    expect(again.headers['vary']).toContain('Accept-Encoding')
    expect((await raw(path, undefined, { headers: { 'If-None-Match': tag } })).status, 'another form').toBe(200)
    const head = await raw(path, encoding, { method: 'HEAD' })
    expect([head.status, head.bytes.length, head.headers['content-length'], head.headers['etag']]).toEqual([
      200,
      0,
      packed.headers['content-length'],
      tag,
    ])
  })
})

const listPath = `${people}/resources?page[limit]=100`
const input = { workspace: 'acme', object: 'person', page: { limit: 100 } }
const trpcPath = `/trpc/resources.list?input=${encodeURIComponent(JSON.stringify(input))}`

test.for(encodings)('the document of a workspace comes as %s, with a tag of that form', async (encoding) => {
  const path = '/v1/workspaces/acme/openapi.json?objects=person'
  const plain = await raw(path, undefined)
  const packed = await raw(path, encoding)
  expect([plain.status, plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([
    200,
    undefined,
    encoding,
  ])
  expect(packed.headers['content-length']).toBe(String(packed.bytes.length))
  expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 5)
  expect(unpack[encoding](packed.bytes).equals(plain.bytes)).toBe(true)
  const tag = packed.headers['etag']!
  expect(tag).toBe(plain.headers['etag']!.replace(/"$/, `-${encoding}"`))
  const again = await raw(path, encoding, { headers: { 'If-None-Match': tag } })
  expect([again.status, again.bytes.length, again.headers['etag']]).toEqual([304, 0, tag])
  for (const { headers } of [plain, packed, again]) expect(headers['vary']).toContain('Accept-Encoding')
  expect((await raw(path, undefined, { headers: { 'If-None-Match': tag } })).status, 'another form').toBe(200)
})

describe('answers of operations', () => {
  test.for(encodings)('%s: the document of a workspace over tRPC, which has no tags', async (encoding) => {
    const document = encodeURIComponent(JSON.stringify({ workspace: 'acme', objects: ['person'] }))
    const path = `/trpc/schemas.describe?input=${document}`
    const plain = await raw(path, undefined)
    const packed = await raw(path, encoding)
    expect([plain.status, plain.headers['content-encoding'], plain.headers['etag']]).toEqual([
      200,
      undefined,
      undefined,
    ])
    expect([packed.headers['content-encoding'], packed.headers['etag']]).toEqual([encoding, undefined])
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 5)
    expect(unpack[encoding](packed.bytes).equals(plain.bytes)).toBe(true)
  })

  test.for(encodings.flatMap((encoding) => [listPath, trpcPath].map((path) => [encoding, path] as const)))(
    '%s: a list of 100 by %s',
    async ([encoding, path]) => {
      const plain = await raw(path, undefined)
      const packed = await raw(path, encoding)
      expect([
        plain.status,
        packed.status,
        plain.headers['content-encoding'],
        packed.headers['content-encoding'],
      ]).toEqual([200, 200, undefined, encoding])
      for (const { headers } of [plain, packed]) expect(headers['vary']).toContain('Accept-Encoding')
      expect(packed.headers['content-length']).toBe(String(packed.bytes.length))
      expect(unpack[encoding](packed.bytes).equals(plain.bytes)).toBe(true)
      expect(packed.headers['cache-control']).toBe('no-store')
      if (path === trpcPath) return
      const head = await raw(path, encoding, { method: 'HEAD' })
      expect([head.bytes.length, head.headers['content-length'], head.headers['content-encoding']]).toEqual([
        0,
        packed.headers['content-length'],
        encoding,
      ])
    },
  )

  test.for(encodings)('%s: a page of thousands, which is sent while it is read', async (encoding) => {
    const path = `${people}/resources?page[limit]=2000`
    const packed = await raw(path, encoding)
    expect([packed.headers['content-encoding'], packed.headers['content-length']]).toEqual([encoding, undefined])
    expect(unpack[encoding](packed.bytes).equals((await raw(path, undefined)).bytes)).toBe(true)
  })

  test.for(encodings)('%s: a file of a list', async (encoding) => {
    const { body } = await app.api.post('/workspaces/acme/objects/person/lists', {
      body: { title: `All ${encoding}`, type: 'static' },
    })
    const resources = `/workspaces/acme/objects/person/lists/${body.data.id}/resources`
    for (let from = 0; from < ids.length; from += 100)
      expect(
        (
          await app.api.post(resources, {
            body: { data: ids.slice(from, from + 100).map((id) => ({ type: 'person', id })) },
          })
        ).status,
      ).toBe(200)
    const path = `${people}/lists/${body.data.id}/rows/csv`
    const plain = await raw(path, undefined, { method: 'POST', body: '{}' })
    const packed = await raw(path, encoding, { method: 'POST', body: '{}' })
    expect(plain.bytes.toString().split('\r\n')).toHaveLength(502)
    expect([packed.headers['content-encoding'], packed.headers['content-length']]).toEqual([encoding, undefined])
    expect(unpack[encoding](packed.bytes).equals(plain.bytes)).toBe(true)
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length)
  })

  test.for([
    ['no header', listPath, undefined, {}],
    ['weights of 0', listPath, 'br;q=0, gzip;q=0', {}],
    ['no-transform', listPath, 'br', { 'Cache-Control': 'no-transform' }],
    ['a short list', `${people}/resources?page[limit]=2`, 'br, gzip', {}],
    ['one with an ETag', `${people}/records/${ids[0]}`, 'gzip, identity;q=0', {}],
    ['an error', '/v1/workspaces/nowhere/users', 'gzip', {}],
  ] as const)('%s: as it is', async ([, path, accepted, headers]) => {
    const answer = await raw(path, accepted, { headers })
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect(answer.headers['content-length']).toBe(String(answer.bytes.length))
    JSON.parse(answer.bytes.toString())
  })

  test('a short answer is compressed for a caller that refuses it as it is', async () => {
    const answer = await raw('/v1/workspaces', 'gzip, identity;q=0')
    expect(answer.headers['content-encoding']).toBe('gzip')
    expect(JSON.parse(gunzipSync(answer.bytes).toString()).data).toBeDefined()
  })
})

describe('what holds a secret is never compressed', () => {
  const forced = 'gzip, identity;q=0'
  const key = { data: { type: 'api-key', attributes: { name: 'Secret' } } }

  test('a new key, over REST and tRPC', async () => {
    const overRest = await raw('/v1/workspaces/acme/api-keys', forced, { method: 'POST', body: JSON.stringify(key) })
    const overTrpc = await raw('/trpc/apiKeys.create', forced, {
      method: 'POST',
      body: JSON.stringify({ workspace: 'acme', body: key }),
    })
    for (const { status, headers, bytes } of [overRest, overTrpc]) {
      expect([status < 300, headers['content-encoding']]).toEqual([true, undefined])
      expect(bytes.toString()).toContain('cleartext_api_key')
    }
  })

  test.for([
    '/auth/sign-in',
    '/oauth2/jwks',
    '/.well-known/openid-configuration',
    '/oauth2/authorize',
    '/auth/nothing',
  ])('%s', async (path) => {
    const answer = await raw(path, forced)
    expect(answer.bytes.length).toBeGreaterThan(0)
    expect(answer.headers['content-encoding']).toBeUndefined()
  })
})
