import { expect, onTestFinished, test } from 'vitest'
import { apiOf } from '../harness/api.ts'
import { startApp } from '../harness/app.ts'
import { httpClient, type Json } from '../harness/http.ts'
import { recordsPath, resourcesPath } from '../harness/records.ts'
import { startServer } from '../harness/server-process.ts'

const app = await startApp()

const records = 96
const text = 'word '.repeat(200_000)
const description = { text: [{ type: 'paragraph', content: [{ type: 'text', text }] }] }

/** A server whose heap is smaller than what its records take several times. */
async function startSmall() {
  const server = await startServer(app.databaseUrl, { NODE_OPTIONS: '--max-old-space-size=400' })
  const http = httpClient(Infinity)
  onTestFinished(http.close)
  return { ...server, http, api: apiOf(http, server.baseUrl, app.credentials) }
}

test('records that fill the heap are read in small pages, and no read of all of them ends the server', async () => {
  const { api, http, baseUrl } = await startSmall()
  const body = JSON.stringify({
    data: Array.from({ length: 12 }, () => ({ type: 'task', attributes: { title: 'A', description } })),
  })
  for (let made = 0; made < records; made += 12)
    expect((await api.post(`${recordsPath('task')}/bulk`, { body })).status).toBe(201)

  const list = (limit: number, options = {}) =>
    api.get(resourcesPath('task'), { as: 'viewer', query: { 'page[limit]': limit }, ...options })
  for (const refused of [await list(200), await list(200, { headers: { Accept: 'text/markdown' } })]) {
    expect(refused.status).toBe(503)
    expect(refused.body.errors[0].detail).toContain('request fewer')
  }
  expect((await list(10)).body.data).toHaveLength(10)

  const { origin } = new URL(baseUrl)
  const input = Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [index, { workspace: 'acme', object: 'task', page: { limit: 12 } }]),
  )
  const batch = await http.send({
    method: 'POST',
    url: `${origin}/trpc/${Array.from({ length: 50 }, () => 'resources.list').join(',')}?batch=1`,
    headers: {
      Authorization: `Bearer ${app.credentials.cast.tokens.viewer}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify(input),
  })
  expect(batch.status).toBe(207)
  const statuses = batch.body.map(({ error }: Json) => error?.data.httpStatus ?? 200)
  expect(new Set(statuses)).toEqual(new Set([200, 503]))

  const seen = new Set<string>()
  for (let after = 0, last = Infinity; after < last;) {
    const page = await api.get('/workspaces/acme/events', { query: { after, limit: 200 } })
    expect(page.status).toBe(200)
    for (const { id } of page.body.data) seen.add(id)
    after = page.body.meta.next_after
    last = page.body.meta.last_sequence
  }
  expect(seen.size).toBeGreaterThanOrEqual(records)
  expect((await api.get('/workspaces')).status).toBe(200)
})
