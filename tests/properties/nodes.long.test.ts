import { beforeAll, afterAll, describe, expect, test } from 'vitest'
import { emptyDatabase, type ScratchDatabase } from '../harness/database.ts'
import { httpClient } from '../harness/http.ts'
import { startServer } from '../harness/server-process.ts'

const http = httpClient()
let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await emptyDatabase()
})
afterAll(async () => {
  http.close()
  await scratch.remove()
})

describe('several nodes', () => {
  test('start at once on an empty database, and serve the same sample', { timeout: 60_000 }, async () => {
    const servers = await Promise.all(Array.from({ length: 4 }, () => startServer(scratch.url, { KONTOR_DEMO: '1' })))
    for (const { baseUrl } of servers) {
      const { status, body } = await http.send({ method: 'GET', url: `${new URL(baseUrl).origin}/readyz` })
      expect([status, body]).toEqual([200, { status: 'ready' }])
    }
    const key = servers.map(({ output }) => /API key +(\S+)/.exec(output())?.[1]).find((found) => found !== undefined)
    const totals = await Promise.all(
      servers.map(async ({ baseUrl }) => {
        const { body } = await http.send({
          method: 'GET',
          url: `${baseUrl}/workspaces/acme/objects/company/resources`,
          headers: { Authorization: `api-key ${key}` },
        })
        return body.meta?.total_records ?? body
      }),
    )
    expect(new Set(totals)).toEqual(new Set([504]))
    expect(await Promise.all(servers.map(({ terminate }) => terminate()))).toEqual([0, 0, 0, 0])
  })

  test('start again on what is there, and leave it as it is', { timeout: 60_000 }, async () => {
    const servers = await Promise.all(Array.from({ length: 2 }, () => startServer(scratch.url, { KONTOR_DEMO: '1' })))
    expect(await Promise.all(servers.map(({ terminate }) => terminate()))).toEqual([0, 0])
  })
})
