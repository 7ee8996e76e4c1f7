import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { say } from '../harness/long-run.ts'
import { startServer } from '../harness/server-process.ts'

const perMinute = 1200
/** Calls in one round of each server: slow enough that messages between servers arrive meanwhile. */
const callsMax = 4
const pauseMs = 20

// Servers share a limit through Postgres.
test.runIf(inject('database') === 'postgres')(
  'three servers together let through what the limit allows, within ten percent',
  async () => {
    const app = await startApp()
    const settings = { RATE_LIMIT_PER_MINUTE: String(perMinute) }
    const starting = [1, 2, 3].map(() => startServer(app.databaseUrl, settings))
    const servers = await Promise.all(starting)
    const headers = { authorization: `api-key ${app.credentials.keys.memberKey!}` }
    const call = async (baseUrl: string): Promise<number> => {
      const response = await fetch(`${baseUrl}/workspaces/acme/users`, { headers })
      await response.arrayBuffer()
      return response.status
    }
    let passed = 0
    const refusing = new Set<string>()
    const beganMs = performance.now()
    while (refusing.size < servers.length) {
      const calls = servers.flatMap(({ baseUrl }) => Array.from({ length: callsMax }, () => baseUrl))
      const statuses = await Promise.all(calls.map(async (url) => [url, await call(url)] as const))
      for (const [url, status] of statuses) {
        expect([200, 429]).toContain(status)
        if (status === 200) passed++
        else refusing.add(url)
      }
      await sleep(pauseMs)
    }
    const seconds = (performance.now() - beganMs) / 1000
    const allowed = perMinute + (seconds * perMinute) / 60
    say(`${passed} calls passed in ${seconds.toFixed(1)} s; the limit allows ${Math.round(allowed)}`)
    expect(passed / allowed).toBeGreaterThan(0.9)
    expect(passed / allowed).toBeLessThan(1.1)
  },
)
