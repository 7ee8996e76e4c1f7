import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { rawRequest, type RawRequest } from '../harness/raw-request.ts'
import { unknownId } from '../harness/records.ts'
import { until } from '../harness/until.ts'
import { workflowsOf } from '../harness/workflows.ts'

const app = await startApp({ standingStill: true, requestsMax: 16, trustedProxies: ['loopback'] })
const { create } = workflowsOf(app)
const inbound = { plugin_id: 'on:svc:automation-webhook' }

const addressOf = (id: string) => `/v1/webhooks/workflows/acme/${id}`
const json = 'Content-Type: application/json'
const opened: RawRequest[] = []
afterEach(() => {
  for (const { socket } of opened.splice(0)) socket.destroy()
})
const raw = (head: readonly string[], body?: string | Buffer) => {
  const request = rawRequest(app.origin, head, body)
  opened.push(request)
  return request
}

const post = (id: string, from: string, body: string | Buffer = '{}', headers = {}) =>
  app.http.send({
    method: 'POST',
    url: app.origin + addressOf(id),
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': from, ...headers },
    body,
  })

describe('a request without a credential', () => {
  test('is refused before its body arrives where nothing is at its address, or it lacks a secret', async () => {
    const { id } = await create({
      name: 'Secret',
      enabled: true,
      trigger: { ...inbound, input: { secret: 'open sesame, please' } },
    })
    for (const [address, status] of [
      [unknownId, 404],
      ['nothing', 404],
      [id, 403],
    ] as const) {
      const request = raw([`POST ${addressOf(address)} HTTP/1.1`, json, 'Content-Length: 1000000'])
      expect((await request.answer()).status, address).toBe(status)
    }
  })

  test('counts by network where it misses, and what was found stays open', async () => {
    const { id } = await create({ name: 'Found', enabled: true, trigger: inbound })
    expect((await post(id, '203.0.113.1')).status).toBe(200)
    const statuses = new Set<number>()
    for (let sent = 0; sent < 121; sent++) statuses.add((await post(`made-up-${sent}`, '203.0.113.1')).status)
    expect([...statuses]).toEqual([404, 429])
    const later = await create({ name: 'Not found before', enabled: true, trigger: inbound })
    expect((await post(later.id, '203.0.113.1')).status).toBe(429)
    expect((await post(id, '203.0.113.1')).status).toBe(200)
    expect((await post(later.id, '203.0.113.2')).status).toBe(200)
    app.wait(60_000)
    expect((await post(later.id, '203.0.113.1')).status).toBe(200)
  })

  test('cannot unpack a little into a lot', async () => {
    const { id } = await create({ name: 'Packed', enabled: true, trigger: inbound })
    const packed = (text: string) => post(id, '203.0.113.3', gzipSync(text), { 'Content-Encoding': 'gzip' })
    expect((await packed(JSON.stringify({ a: ' '.repeat(50_000) }))).status).toBe(200)
    const { status, body } = await packed(JSON.stringify({ a: ' '.repeat(900_000) }))
    expect([status, body.errors[0].code]).toEqual([413, 'payload_too_large'])
  })

  test('gives up its place after a few seconds, and never takes one of those with a credential', async () => {
    const { id } = await create({ name: 'Slow', enabled: true, trigger: inbound })
    const slow = Array.from({ length: 12 }, (_, index) =>
      raw([
        `POST ${addressOf(id)} HTTP/1.1`,
        json,
        'Content-Length: 100',
        `X-Forwarded-For: 198.51.100.${index}`,
        // A credential that nobody checks makes no difference.
        'Authorization: api-key nonsense',
      ]),
    )
    await until(async () => (await post(id, '198.51.100.99')).status === 503)
    expect((await app.api.get('/workspaces/acme/objects/person/resources')).status).toBe(200)
    app.wait(5001)
    app.look()
    const answers = await Promise.all(slow.map((one) => one.answer()))
    expect(answers.filter(({ status }) => status === 408)).toHaveLength(8)
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(4)
    expect((await post(id, '198.51.100.99')).status).toBe(200)
  })
})

test('a body that is too long is refused before its end, with or without its length', async () => {
  const { id } = await create({ name: 'Long', enabled: true, trigger: inbound })
  const chunk = `${(64 * 1024).toString(16)}\r\n${' '.repeat(64 * 1024)}\r\n`
  const chunked = raw([`POST ${addressOf(id)} HTTP/1.1`, json, 'Transfer-Encoding: chunked'], chunk.repeat(17))
  expect((await chunked.answer()).status).toBe(413)
  const declared = raw([`POST ${addressOf(id)} HTTP/1.1`, json, 'Content-Length: 1048577'])
  expect((await declared.answer()).status).toBe(413)
})
