import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { apiOf } from '../harness/api.ts'
import { recordsPath } from '../harness/records.ts'
import { startServer } from '../harness/server-process.ts'
import { someOf } from '../harness/size.ts'

const app = await startApp()

const person = (index: number) => ({
  type: 'person',
  attributes: { job_title: `Job ${index}`, description: 'a-customer-secret' },
})

describe('a server', () => {
  test('finishes what is under way when it is told to stop', async () => {
    const server = await startServer(app.databaseUrl)
    const api = apiOf(app.http, server.baseUrl, app.credentials)
    const body = { data: Array.from({ length: 3000 }, (_, index) => person(index)) }
    const running = [1, 2, 3].map(() => api.post(`${recordsPath('person')}/bulk`, { as: 'adminKey', body }))
    // The requests are on their way, and none has been answered.
    await new Promise((resolve) => setTimeout(resolve, 60))
    const code = server.terminate()
    const answers = await Promise.all(
      running.map((one) =>
        one.then(
          ({ status }) => status,
          () => 'never arrived',
        ),
      ),
    )
    expect(await code).toBe(0)
    expect(answers.filter((status) => status === 201).length).toBeGreaterThan(0)
    const stored = (await app.api.get('/workspaces/acme/objects/person/resources', { query: { 'page[limit]': 1 } }))
      .body.meta.total_records
    expect(stored).toBe(3000 * answers.filter((status) => status === 201).length)
  })

  test('logs what happened, and neither bodies nor queries nor credentials', async () => {
    const server = await startServer(app.databaseUrl, { LOG_LEVEL: 'trace' })
    const api = apiOf(app.http, server.baseUrl, app.credentials)
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
    await server.terminate()
    const output = server.output()
    expect(output).toContain('seen-in-the-log')
    expect(output).toContain('records.create')
    const secrets = [
      'a-customer-secret',
      created.body.data.attributes.cleartext_api_key,
      ...Object.values(app.credentials.cast.tokens),
      ...Object.values(app.credentials.keys),
    ]
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

  const wrong: [string, string, RegExp][] = [
    ['PORT', 'http', /PORT="http"/],
    ['PORT', '70000', /PORT="70000"/],
    ['DATABASE_URL', 'mysql://localhost/x', /DATABASE_URL=.*must be sqlite:PATH or postgres/],
    ['BASE_URL', 'localhost', /BASE_URL=.*http or https/],
    ['RATE_LIMIT_PER_MINUTE', '-1', /RATE_LIMIT_PER_MINUTE="-1"/],
    ['SIGN_INS_PER_MINUTE', 'ten', /SIGN_INS_PER_MINUTE="ten": must be a number/],
    ['SMTP_URL', 'mail.example.com', /SMTP_URL="mail.example.com": must be an smtp: or smtps: URL/],
    ['TRUSTED_PROXIES', '10.0.0.0/33', /TRUSTED_PROXIES="10.0.0.0\/33": must be addresses, networks/],
    ['TRUSTED_PROXIES', 'loopback,proxy.example.com', /TRUSTED_PROXIES=/],
    ['REQUESTS_MAX', '0', /REQUESTS_MAX="0": must be from 1 on/],
    ['REQUEST_TIMEOUT_MS', '10', /REQUEST_TIMEOUT_MS="10"/],
    ['CORS_ORIGINS', 'app.example.com', /CORS_ORIGINS="app.example.com": must be \*, or origins such as/],
    ['CORS_ORIGINS', 'https://app.example.com,https://app.example.com/', /CORS_ORIGINS=/],
    ['METRICS_TOKEN', 'short', /METRICS_TOKEN="short": must have at least 16 characters/],
    ['LOG_LEVEL', 'loud', /LOG_LEVEL="loud"/],
    ['KONTOR_DEMO', 'yes', /KONTOR_DEMO="yes"/],
  ]
  test.for(someOf(wrong, 3))('does not start with %s=%s, and says why', async ([name, value, message]) => {
    await expect(startServer(app.databaseUrl, { [name]: value })).rejects.toThrow(message)
  })

  test('does not start where something listens already, and says what to do', async () => {
    const { port } = new URL(app.origin)
    await expect(startServer(app.databaseUrl, { PORT: port })).rejects.toThrow(/choose another port/)
  })

  test('has links with its public address', async () => {
    const server = await startServer(app.databaseUrl, { BASE_URL: 'https://crm.example.com/api/v1/' })
    expect(server.baseUrl).toBe('https://crm.example.com/api/v1')
    await server.terminate()
  })
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
