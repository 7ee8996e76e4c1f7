import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Endpoint } from '@kontor/contract'
import { startApp } from '../harness/app.ts'
import { turnOf } from '../harness/size.ts'
import { bodyFaults } from './body-faults.ts'
import { exampleInput, withBody, withShapedBody } from './endpoints.ts'
import { expectError, expectSuccess } from './expect.ts'
import { expectReadable } from './readable.ts'
import { pathOf, rest, surfaces } from './surfaces.ts'

const app = await startApp()
const { api } = app
const mebibyte = 1024 * 1024

const limitOf = ({ bodySize }: Endpoint): number => (bodySize === 'bulk' ? 16 : 1) * mebibyte

test.for(turnOf(10, withShapedBody))(
  '%s: 422 for every fault of the body, with its pointer, and nothing happens',
  async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    await app.events()
    const faults = bodyFaults(endpoint.body!, input['body'])
    expect(faults.length).toBeGreaterThan(6)
    for (const { what, body, pointer } of faults) {
      const outcome = await rest(app, name, endpoint, { ...input, body })
      expect(outcome.status, what).toBe(422)
      expectError(endpoint, outcome, 'invalid_body')
      expectReadable(outcome.body.errors)
      const pointers = outcome.body.errors.map((error: { source: { pointer: string } }) => error.source.pointer)
      expect(pointers, what).toContain(pointer)
    }
    expect(await app.events()).toEqual([])
  },
)

test.for(turnOf(11, withShapedBody))('%s: tRPC and actions point at the same faults', async ([name, endpoint]) => {
  const input = await exampleInput(app, name, endpoint)
  for (const { what, body, pointer } of bodyFaults(endpoint.body!, input['body'])) {
    if (pointer === '') continue
    for (const surface of Object.values(surfaces)) {
      const outcome = await surface(app, name, endpoint, { ...input, body })
      expect(outcome.body.errors[0].code, what).toBe('invalid_body')
      expect(
        outcome.body.errors.map((error: { source: { pointer: string } }) => error.source.pointer),
        what,
      ).toContain(pointer)
    }
  }
})

test.for(turnOf(12, withBody))('%s: 400 for what is no JSON', async ([name, endpoint]) => {
  const path = pathOf(endpoint, await exampleInput(app, name, endpoint))
  for (const body of ['{', '{"data":', "{'data':1}", '{"data":1}x', 'undefined', '{"a":01}', '\uFEFF{}x'])
    expectError(endpoint, await api.send(endpoint.method, path, { body }), 'malformed_json')
})

test.for(turnOf(13, withBody))(
  '%s: 400 for what is no UTF-8, or packed otherwise than it says, on every surface',
  async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    const paths = [`/v1${pathOf(endpoint, input)}`, `/trpc/${name}`, `/actions/${name}`]
    await app.events()
    for (const path of paths) {
      const text = JSON.stringify(path.startsWith('/v1') ? input['body'] : input)
      const send = (body: Buffer, encoding?: string) =>
        api.send(path.startsWith('/v1') ? endpoint.method : 'POST', app.origin + path, {
          body,
          ...(encoding !== undefined && { headers: { 'Content-Encoding': encoding } }),
        })
      for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xc3]]) {
        const broken = Buffer.concat([Buffer.from(`${text.slice(0, -1)},"`), Buffer.from(bytes), Buffer.from('":1}')])
        expect((await send(broken)).body, path).toMatchObject(
          path.startsWith('/trpc') ? {} : { errors: [{ code: 'malformed_json' }] },
        )
        expect((await send(broken)).status, path).toBe(400)
      }
      for (const encoding of ['gzip', 'deflate', 'br'])
        expect((await send(Buffer.from(text), encoding)).status, `${path} ${encoding}`).toBe(400)
      expect((await send(gzipSync(text).subarray(0, 15), 'gzip')).status, path).toBe(400)
    }
    expect(await app.events()).toEqual([])
  },
)

/** The types accepted by endpoints that programs call which were not made for them. */
const lenientTypes = ['application/x-www-form-urlencoded', 'application/vnd.api+json']

test.for(turnOf(14, withBody))('%s: 415 for another type', async ([name, endpoint]) => {
  const input = await exampleInput(app, name, endpoint)
  const path = pathOf(endpoint, input)
  for (const type of [
    ...(endpoint.takesForms ? lenientTypes.map((one) => `${one}; charset=latin1`) : lenientTypes),
    'text/plain',
    'application/json5',
    'multipart/form-data; boundary=x',
    'nonsense',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
  ]) {
    const outcome = await api.send(endpoint.method, path, { body: input['body'], headers: { 'Content-Type': type } })
    expect(outcome.status, type).toBe(415)
    expectError(endpoint, outcome, 'unsupported_media_type')
  }
  const compressed = {
    body: gzipSync(JSON.stringify(input['body'])),
    headers: { 'Content-Type': 'Application/JSON; charset="UTF-8"', 'Content-Encoding': 'gzip' },
  }
  expectSuccess(endpoint, await api.send(endpoint.method, path, compressed))
})

test.for(turnOf(15, withBody))(
  '%s: 413 from its limit on, also where the length is not said',
  async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    const path = pathOf(endpoint, input)
    const text = JSON.stringify(input['body'])
    const padded = text + ' '.repeat(limitOf(endpoint) - text.length)
    expectSuccess(endpoint, await api.send(endpoint.method, path, { body: padded }))
    const outcome = await api.send(endpoint.method, path, { body: `${padded} ` })
    expectError(endpoint, outcome, 'payload_too_large')
    expect(outcome.body.errors[0].meta).toEqual({ limit_bytes: limitOf(endpoint) })
    const bomb = await api.send(endpoint.method, path, {
      body: gzipSync(`${padded} `),
      headers: { 'Content-Encoding': 'gzip' },
    })
    expectError(endpoint, bomb, 'payload_too_large')
  },
)
