import { once } from 'node:events'
import { request, type IncomingMessage, type ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { apiOf, authorizationOf } from '../harness/api.ts'
import { httpClient } from '../harness/http.ts'
import { receiver } from '../harness/receiver.ts'
import { recordsPath } from '../harness/records.ts'
import { startServer } from '../harness/server-process.ts'
import { until } from '../harness/until.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'
import { call } from './early-calls.ts'

const app = await startApp()

const person = (index: number) => ({
  type: 'person',
  attributes: { job_title: `Job ${index}`, description: 'a-customer-secret' },
})

/** A request that a server has taken, whose body is still to come; with it comes the status of the answer. */
async function begin(url: string): Promise<(body: string) => Promise<number | undefined>> {
  const Authorization = authorizationOf('adminKey', app.credentials)!
  const headers = { Authorization, 'Content-Type': 'application/json', Expect: '100-continue' }
  const outgoing = request(url, { agent: false, method: 'POST', headers })
  outgoing.flushHeaders()
  await once(outgoing, 'continue')
  return async (body) => {
    outgoing.end(body)
    const [answer]: IncomingMessage[] = await once(outgoing, 'response')
    return answer?.resume().statusCode
  }
}

/** Calls that a server logs, with what it must not log: in a body, a query, a header, an answer. */
async function sendSecrets(baseUrl: string): Promise<readonly string[]> {
  const api = apiOf(app.http, baseUrl, app.credentials)
  const created = await api.post('/workspaces/acme/api-keys', {
    body: { data: { type: 'api-key', attributes: { name: 'a-customer-secret' } } },
  })
  await api.post(recordsPath('person'), {
    as: 'memberKey',
    body: { data: person(1) },
    headers: { 'X-Request-Id': 'seen-in-the-log' },
  })
  await api.post(recordsPath('person'), {
    body: { data: { type: 'person', attributes: { job_title: ['a-customer-secret'] } } },
  })
  await api.get('/workspaces/acme/objects/person/resources', {
    query: { 'filter[description]': 'a-customer-secret' },
  })
  await api.get('/workspaces', { as: { authorization: 'Bearer a-customer-secret' } })
  return [
    'a-customer-secret',
    created.body.data.attributes.cleartext_api_key,
    ...Object.values(app.credentials.cast.tokens),
    ...Object.values(app.credentials.keys),
  ]
}

const codeOf = (heard: Awaited<ReturnType<typeof call>>) => (typeof heard === 'object' ? heard.code : heard)

describe('a server', () => {
  test('finishes what is under way when it is told to stop, and logs no bodies, queries or credentials', async () => {
    const server = await startServer(app.databaseUrl, { LOG_LEVEL: 'trace' })
    const secrets = await sendSecrets(server.baseUrl)
    const url = `${server.baseUrl}${recordsPath('person')}/bulk`
    const body = JSON.stringify({ data: Array.from({ length: 20 }, (_, index) => person(index)) })
    const begun = await Promise.all([1, 2, 3].map(() => begin(url)))
    const code = server.terminate()
    // It has been told: it takes no more connections.
    await until(async () => (await call(Number(new URL(url).port), '/healthz', {})) === undefined)
    expect(await Promise.all(begun.map((finish) => finish(body)))).toEqual([201, 201, 201])
    expect(await code).toBe(0)
    const stored = (await app.api.get('/workspaces/acme/objects/person/resources', { query: { 'page[limit]': 1 } }))
      .body.meta.total_records
    expect(stored).toBe(61)
    const output = server.output()
    expect(output).toContain('seen-in-the-log')
    expect(output).toContain('records.create')
    for (const secret of secrets) expect(output.includes(secret), secret.slice(0, 12)).toBe(false)
    const lines = output.split('\n').filter((line) => line.startsWith('{'))
    expect(lines.length).toBeGreaterThan(4)
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({
        level: expect.any(Number),
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        msg: expect.any(String),
      })
  })
})

test('a server that is told to stop says so before it closes its port, and resets no connection', async () => {
  const server = await startServer(app.databaseUrl, { DRAIN_MS: '2000' })
  const origin = new URL(server.baseUrl).origin
  const large = { 'X-Large': 'x'.repeat(20_000) }
  const refused = await app.http.send({ method: 'GET', url: `${origin}/v1/workspaces`, headers: large })
  expect([refused.status, refused.body.errors[0].code], 'one error body for what Node refuses too').toEqual([
    431,
    'headers_too_large',
  ])
  const clients = Array.from({ length: 8 }, () => httpClient(1))
  const getAll = () => Promise.all(clients.map(({ send }) => send({ method: 'GET', url: `${origin}/openapi/none` })))
  for (const { headers } of await getAll()) expect(headers['connection']).toBe('keep-alive')
  const code = server.terminate()
  const port = Number(new URL(origin).port)
  await until(async () => codeOf(await call(port, '/readyz', {})) === 'draining')
  for (const { status, headers } of await getAll()) expect([status, headers['connection']]).toEqual([404, 'close'])
  expect(await code).toBe(0)
  for (const { close } of clients) close()
})

test('lets a call of a workflow finish when it is told to stop, and goes on after the next start', async () => {
  const there = await receiver()
  const answered = Promise.withResolvers<ServerResponse>()
  there.answer((response) => answered.resolve(response))
  const { create, endedRuns } = workflowsOf(app)
  const hook = { key: 'hook', plugin_id: 'webhook:send:outbound', input: { url: there.url, body: { a: 1 } } }
  const task = {
    key: 'task',
    plugin_id: 'svc:create:record',
    input: { object: 'task', attributes: { title: 'After' } },
  }
  const trigger = { plugin_id: 'on:svc:automation-webhook' }
  const { id } = await create({ name: 'Stopped', enabled: true, ...chain(trigger, hook, task) })
  const server = await startServer(app.databaseUrl, {
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
    ENCRYPTION_KEYS: 'a key of at least thirty-two characters',
  })
  const url = `${server.baseUrl}/webhooks/workflows/acme/${id}`
  expect((await app.http.send({ method: 'POST', url })).status).toBe(200)
  const response = await answered.promise
  const code = server.terminate()
  await until(async () => (await call(Number(new URL(url).port), '/healthz', {})) === undefined)
  response.end('late')
  expect(await code).toBe(0)
  const [ended] = await endedRuns(id)
  expect(ended?.attributes.status).toBe('success')
  expect(there.got).toHaveLength(1)
})

describe('health', () => {
  test('is told without credentials', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const { status, body, headers } = await app.http.send({ method: 'GET', url: app.origin + path })
      expect([status, body.status, headers['cache-control']]).toEqual([
        200,
        path === '/healthz' ? 'ok' : 'ready',
        'no-store',
      ])
    }
  })
})
