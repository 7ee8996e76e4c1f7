import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { startServer } from '../harness/server-process.ts'

const app = await startApp()

describe('a server', () => {
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
    ['REQUESTS_MAX', '0', /REQUESTS_MAX="0": must be at least 1/],
    ['REQUEST_TIMEOUT_MS', '10', /REQUEST_TIMEOUT_MS="10"/],
    ['CORS_ORIGINS', 'app.example.com', /CORS_ORIGINS="app.example.com": must be \*, or origins such as/],
    ['CORS_ORIGINS', 'https://app.example.com,https://app.example.com/', /CORS_ORIGINS=/],
    ['METRICS_TOKEN', 'short', /METRICS_TOKEN="short": must have at least 16 characters/],
    ['LOG_LEVEL', 'loud', /LOG_LEVEL="loud"/],
    ['KONTOR_DEMO', 'yes', /KONTOR_DEMO="yes"/],
  ]
  test.for(wrong)('does not start with %s=%s, and says why', async ([name, value, message]) => {
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
