import { describe, expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { httpClient } from '../harness/http.ts'
import { startServer } from '../harness/server-process.ts'
import { swallowingProxy } from '../harness/swallowing-proxy.ts'

describe.runIf(inject('database') === 'postgres')('a Postgres that is away', () => {
  test(
    'that swallows everything is said by /readyz within some seconds, however many ask',
    { timeout: 60_000 },
    async () => {
      const app = await startApp()
      const proxy = await swallowingProxy(app.databaseUrl)
      const server = await startServer(proxy.url)
      const { origin } = new URL(server.baseUrl)
      const http = httpClient()
      const readyz = () => http.send({ method: 'GET', url: `${origin}/readyz` })
      expect((await readyz()).status).toBe(200)
      proxy.swallow(true)
      const asked = performance.now()
      for (const { status, body } of await Promise.all(Array.from({ length: 20 }, readyz))) {
        expect([status, body.status]).toEqual([503, 'database unavailable'])
      }
      expect(performance.now() - asked).toBeLessThan(5000)
      proxy.swallow(false)
      await expect.poll(async () => (await readyz()).status, { timeout: 30_000 }).toBe(200)
      http.close()
      await server.kill()
    },
  )
})
